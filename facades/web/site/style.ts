/** Style sheet of the pages. Its URL contains a hash of its text, so clients may cache it permanently. */
import { hashOf, type Packed, pack } from '../../shared/packed.ts';

export const CSS = 'text/css;charset=utf-8';

export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: #17212b; --paper: #fff; --soft: #f3f6f8; --quiet: #55626e; --line: #d5dde3; --link: #0a5c8a; --accent: #0a5c8a; --on-accent: #fff;
  --head: #0c2f45; --on-head: #fff; --mark: #fff1b8; --bad: #a3161b; --bad-paper: #fdf0f0; --good: #17612f; --good-paper: #eef8f0;
  --table: #17612f; --tree: #7a4b00; --map: #6a2c91; --doc: #9c1f2e;
  --small: 0.875rem; --large: 1.25rem; --huge: clamp(1.6rem, 1.2rem + 2vw, 2.5rem); --round: 8px; --wide: 76rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6ecf1; --paper: #12181d; --soft: #1b242b; --quiet: #a5b2bd; --line: #36434d; --link: #7cc0ee; --accent: #7cc0ee; --on-accent: #0c1418;
    --head: #0a1f2d; --on-head: #e6ecf1; --mark: #463800; --bad: #ff9b9b; --bad-paper: #2e1a1b; --good: #8fd9a5; --good-paper: #16271b;
    --table: #8fd9a5; --tree: #f0c070; --map: #d3a7f0; --doc: #ff9fa9;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; display: flex; flex-direction: column; min-height: 100vh; }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--paper); padding: 0.5rem; z-index: 1; }
.icon { width: 1.1em; height: 1.1em; vertical-align: -0.2em; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; flex: none; }

.bar, main { width: 100%; max-width: var(--wide); margin: 0 auto; padding: 1rem clamp(1rem, 3vw, 2rem); }
main { flex: 1; }
header { background: var(--head); color: var(--on-head); }
header a { color: inherit; }
header :focus-visible { outline-color: var(--on-head); }
.bar { display: flex; flex-wrap: wrap; gap: 0.75rem 1.5rem; align-items: center; }
header .site { display: flex; gap: 0.75rem; align-items: center; font-weight: 700; font-size: var(--large); text-decoration: none; }
header .site img { max-height: 2.5rem; max-width: 12rem; }
header nav a { text-decoration: none; }
header nav a:hover { text-decoration: underline; }
nav { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: center; }
header nav[aria-label="Account"] { margin-left: auto; }
footer { background: var(--soft); border-top: 1px solid var(--line); color: var(--quiet); margin-top: 3rem; }

h1 { font-size: var(--huge); line-height: 1.2; letter-spacing: -0.01em; margin: 1rem 0; }
h2 { font-size: var(--large); line-height: 1.3; margin: 2.25rem 0 0.75rem; }
h3 { font-size: 1.0625rem; line-height: 1.35; margin: 0; }
.title { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
.text { max-width: 46rem; }

form.stacked { display: grid; gap: 1rem; max-width: 28rem; }
form.wide { max-width: 46rem; }
fieldset { border: 1px solid var(--line); border-radius: var(--round); padding: 0.75rem 1rem 1rem; display: grid; gap: 0.75rem; min-width: 0; margin: 0; }
legend { font-weight: 600; padding: 0 0.25rem; }
.columns { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
fieldset .columns { gap: 0.5rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; align-items: center; }
.button { display: inline-block; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: var(--round); padding: 0.5rem 1rem; text-decoration: none; }
.actions { margin: 1rem 0; }
.actions button { margin: 0; }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--paper); }
.version { border: 1px solid var(--line); border-radius: var(--round); padding: 0.75rem; display: grid; gap: 0.5rem; align-content: start; }
.version:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.version .words { font-weight: 400; white-space: pre-wrap; max-height: 24rem; overflow: auto; }
.field { display: grid; gap: 0.25rem; align-content: start; }
label { font-weight: 600; }
.hint, .meta, .count { color: var(--quiet); font-size: var(--small); }
.fault { color: var(--bad); }
input, select, textarea { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: var(--round); padding: 0.5rem 0.75rem; width: 100%; }
input[type="checkbox"], input[type="radio"] { width: auto; }
[aria-invalid="true"] { border-color: var(--bad); border-width: 2px; }
button { font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: var(--round); padding: 0.5rem 1rem; cursor: pointer; justify-self: start; }
button.quiet { color: var(--accent); background: none; }
button.link { color: var(--link); background: none; border: 0; padding: 0; font-weight: 400; text-decoration: underline; }
header button.link { color: inherit; }
.notice { border-left: 4px solid var(--good); background: var(--good-paper); color: var(--good); padding: 0.75rem 1rem; }
.notice.bad { border-color: var(--bad); background: var(--bad-paper); color: var(--bad); }
code { font-family: ui-monospace, monospace; }
.key { display: block; padding: 0.75rem; border: 1px solid var(--line); border-radius: var(--round); user-select: all; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: 0.25rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
th, td { text-align: left; padding: 0.5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.scroll { overflow-x: auto; }
.text table, .text pre { display: block; overflow-x: auto; }
.text img { max-width: 100%; }
.quiet { color: var(--quiet); margin: 0.25rem 0 0; white-space: pre-line; }
.badge { font-size: 0.8rem; border: 1px solid var(--line); border-radius: 4px; padding: 0 0.4rem; color: var(--quiet); font-weight: 400; white-space: nowrap; }
.logo { max-height: 6rem; max-width: 100%; }
ul.plain { list-style: none; padding: 0; }
ul.plain > li { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
ul.tags { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; }
:target { background: var(--good-paper); }
mark { background: var(--mark); color: inherit; border-radius: 2px; }

.box { display: flex; gap: 0; max-width: 46rem; }
.box input { border-radius: var(--round) 0 0 var(--round); border-right: 0; min-width: 0; }
.box button { border-radius: 0 var(--round) var(--round) 0; white-space: nowrap; }
search.small { flex: 1 1 10rem; max-width: 20rem; }
.small .box input, .small .box button { padding: 0.3rem 0.6rem; border-color: transparent; }
.order { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 0.75rem; font-size: var(--small); }
.order select { width: auto; padding: 0.25rem 0.5rem; }
.order button { padding: 0.25rem 0.75rem; }

.hero { background: linear-gradient(160deg, var(--soft), transparent); border: 1px solid var(--line); border-radius: calc(2 * var(--round)); padding: clamp(1.25rem, 4vw, 3rem); }
.hero h1 { margin-top: 0; }
.hero .box input, .hero .box button { padding: 0.75rem 1rem; font-size: 1.0625rem; }
.figures { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; margin: 1.25rem 0 0; }
.figures a { text-decoration: none; font-weight: 600; }
.ways { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0 2.5rem; }
.pills { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; }
.pills a { display: inline-block; border: 1px solid var(--line); background: var(--soft); border-radius: 1rem; padding: 0.15rem 0.75rem; text-decoration: none; font-size: var(--small); }
.pills a:hover, .card:hover { border-color: var(--accent); }
.number { color: var(--quiet); font-variant-numeric: tabular-nums; font-size: var(--small); }

.cards { list-style: none; padding: 0; margin: 1rem 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
.cards.list { grid-template-columns: minmax(0, 1fr); }
.card { border: 1px solid var(--line); border-radius: var(--round); padding: 1rem 1.25rem; display: flex; flex-direction: column; gap: 0.5rem; }
.card p { margin: 0; }
.card h2 { font-size: 1.0625rem; margin: 0; }
.meta button.link { font-size: inherit; }
.card h3 a { text-decoration: none; }
.card h3 a:hover { text-decoration: underline; }
.card .meta { display: flex; flex-wrap: wrap; gap: 0.35rem 1rem; margin-top: auto; align-items: center; }
.card > .icon { width: 2rem; height: 2rem; color: var(--quiet); }
.thumb { max-height: 3.5rem; max-width: 10rem; align-self: start; }
.format { font-size: 0.75rem; font-weight: 600; border: 1px solid currentColor; border-radius: 4px; padding: 0 0.4rem; color: var(--quiet); }
.format.table { color: var(--table); }
.format.tree { color: var(--tree); }
.format.map { color: var(--map); }
.format.text { color: var(--doc); }
.card .meta .format { margin-right: -0.5rem; }

.find { display: grid; gap: 2rem; }
.found { min-width: 0; }
.found > .text > :first-child { margin-top: 0; }
.to-filters { margin-left: 1rem; }
.chosen { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; }
.chosen a { display: inline-flex; gap: 0.35rem; align-items: center; background: var(--accent); color: var(--on-accent); border-radius: 1rem; padding: 0.15rem 0.75rem; font-size: var(--small); text-decoration: none; }
.empty { background: var(--soft); border-radius: var(--round); padding: 1rem 1.5rem; }
#filters { background: none; }
aside > h2 { margin-top: 0; }
.facet h2 { font-size: 1rem; margin: 0 0 0.5rem; }
.facet + .facet { margin-top: 1.75rem; }
.facet ul { list-style: none; padding: 0; margin: 0; }
.facet li a { display: flex; justify-content: space-between; gap: 1rem; padding: 0.3rem 0.6rem; border-radius: 4px; text-decoration: none; }
.facet li a:hover { background: var(--soft); }
.facet [aria-current] { background: var(--soft); font-weight: 600; box-shadow: inset 3px 0 0 var(--accent); }
.facet p { margin: 0.25rem 0.6rem; }
.more { font-size: var(--small); }
@media (min-width: 60rem) {
  .find { grid-template-columns: minmax(0, 1fr) 18rem; }
  .to-filters { display: none; }
}
.tabs { border-bottom: 1px solid var(--line); gap: 0 1.5rem; margin: 0 0 1.5rem; }
.tabs a { padding: 0.5rem 0; text-decoration: none; border-bottom: 3px solid transparent; }
.tabs a:hover { border-color: var(--line); }
.tabs [aria-current] { border-color: var(--accent); font-weight: 600; color: inherit; }
.trail { color: var(--quiet); font-size: var(--small); gap: 0.25rem 0.5rem; margin-top: 0.5rem; }
.activities { list-style: none; padding: 0; margin: 0; }
.activities > li { padding: 0.75rem 0 0.75rem 1rem; border-left: 3px solid var(--line); }
.activities p { margin: 0; }
.activities ul { margin: 0.25rem 0 0; padding-left: 1.25rem; color: var(--quiet); font-size: var(--small); }
.prose { white-space: pre-line; max-width: 46rem; margin-top: 0; }
.downloads p { margin: 0.5rem 0; }
.call { border: 1px solid var(--line); border-radius: var(--round); margin: 0.5rem 0; }
.call summary { padding: 0.5rem 1rem; cursor: pointer; font-weight: 600; }
.call pre { margin: 0; padding: 0.75rem 1rem; background: var(--soft); border-top: 1px solid var(--line); font-size: var(--small); white-space: pre-wrap; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 10rem), 1fr)); gap: 1rem; margin: 1.5rem 0; }
.tiles > div { background: var(--soft); border: 1px solid var(--line); border-radius: var(--round); padding: 1rem 1.25rem; }
.tiles dd { font-size: 1.5rem; font-weight: 700; font-variant-numeric: tabular-nums; }
.lists { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 3rem; }
.bars { table-layout: fixed; }
.bars th, .bars td { padding: 0.3rem 0.75rem 0.3rem 0; border: 0; vertical-align: middle; font-weight: 400; }
.bars th { width: 50%; }
.bars.narrow th { width: 6rem; }
.bars td.number { text-align: right; width: 5.5rem; }
.bars svg { display: block; width: 100%; height: 0.75rem; fill: var(--accent); }
.pages { margin: 1.5rem 0; gap: 0.5rem; }
.pages a, .pages [aria-current] { border: 1px solid var(--line); border-radius: var(--round); padding: 0.25rem 0.75rem; text-decoration: none; }
.pages [aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.sorts { display: flex; flex-wrap: wrap; gap: 1rem; font-size: var(--small); }

@media print {
  header nav, header form, footer, #filters, .order, .pages { display: none; }
  header { background: none; color: inherit; }
  .card { break-inside: avoid; }
}
`;

export const STYLE_ADDRESS = `/static/site/${hashOf(STYLE)}.css`;

interface CustomStyle {
  readonly css: string;
  /** Path with a hash of the rules. */
  readonly address: string;
  packed?: Promise<Packed>;
}

let custom: CustomStyle = { css: '', address: '' };

/** The site's own CSS rules (catalog.site_custom_css), which can change while the site runs. */
function customOf(css: string): CustomStyle {
  if (custom.css !== css) custom = { css, address: `/static/site/custom/${hashOf(css)}.css` };
  return custom;
}

/** The site's own CSS rules, compressed once. */
export const packedCss = (css: string): Promise<Packed> => (customOf(css).packed ??= pack(CSS, css));

/** Paths of the style sheets of a site, in order. */
export const stylesOf = ({ mainCss, customCss }: { mainCss: string; customCss: string }): string[] => [
  mainCss || STYLE_ADDRESS,
  ...(customCss ? [customOf(customCss).address] : []),
];
