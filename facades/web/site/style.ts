/** Style sheet of the pages. Its URL contains a hash of its text, so clients may cache it permanently. */
import { hashOf, type Packed, pack } from '../../shared/packed.ts';
import { CHARTS } from './dashboards/style.ts';
import type { Theme } from './theme.ts';

export const CSS = 'text/css;charset=utf-8';

export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: #17212b; --paper: #fff; --soft: #f3f6f8; --quiet: #55626e; --line: #d5dde3; --link: #0a5c8a; --accent: #0a5c8a; --on-accent: #fff;
  --head: #0c2f45; --head-2: #14618a; --on-head: #fff; --glow: #f5b64c; --shadow: 0 1px 2px rgb(12 47 69 / 8%), 0 4px 16px rgb(12 47 69 / 6%); --mark: #fff1b8; --bad: #a3161b; --bad-paper: #fdf0f0; --good: #17612f; --good-paper: #eef8f0;
  --table: #17612f; --tree: #7a4b00; --map: #6a2c91; --doc: #9c1f2e;
  --series-1: #1f6f9f; --series-2: #b3541e; --series-3: #3c7d3c; --series-4: #7a4ba0;
  --small: 0.875rem; --large: 1.3125rem; --huge: clamp(1.7rem, 1.3rem + 1.8vw, 2.5rem); --round: 8px; --wide: 76rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6ecf1; --paper: #12181d; --soft: #1b242b; --quiet: #a5b2bd; --line: #36434d; --link: #7cc0ee; --accent: #7cc0ee; --on-accent: #0c1418;
    --head: #0a1f2d; --head-2: #0f4262; --on-head: #e6ecf1; --shadow: none; --mark: #463800; --bad: #ff9b9b; --bad-paper: #2e1a1b; --good: #8fd9a5; --good-paper: #16271b;
    --table: #8fd9a5; --tree: #f0c070; --map: #d3a7f0; --doc: #ff9fa9;
    --series-1: #6db6e8; --series-2: #f0985e; --series-3: #85cf85; --series-4: #c49be8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; display: flex; flex-direction: column; min-height: 100vh; }
time { white-space: nowrap; }
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
header .bar { gap: 0.5rem 1.25rem; padding-block: 0.75rem; }
header .site { display: flex; gap: 0.75rem; align-items: center; font-weight: 700; font-size: 1.125rem; line-height: 1.2; text-decoration: none; min-width: min-content; flex: 0 1 auto; overflow-wrap: break-word; }
header .site span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
header .site img { max-height: 2.5rem; max-width: 12rem; border-radius: 7px; }
header nav a { text-decoration: none; white-space: nowrap; }
header nav a:hover { text-decoration: underline; }
nav { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: center; }
header .bar > nav { flex-wrap: nowrap; }
header .main { margin-right: auto; }
header .main a { padding: 0.25rem 0; border-bottom: 2px solid transparent; }
header .main a:hover { text-decoration: none; border-color: var(--glow); }
.menu { position: relative; flex: none; }
.menu summary { cursor: pointer; list-style: none; padding: 0.25rem 0; display: flex; gap: 0.4rem; align-items: center; white-space: nowrap; }
.menu summary::-webkit-details-marker { display: none; }
.menu summary::after { content: "▾"; }
.menu .name { max-width: 7rem; overflow: hidden; text-overflow: ellipsis; }
.menu nav { position: absolute; right: 0; z-index: 3; flex-direction: column; flex-wrap: nowrap; align-items: stretch; gap: 0; min-width: 11rem; margin-top: 0.25rem; padding: 0.25rem; background: var(--paper); color: var(--ink); border: 1px solid var(--line); border-radius: var(--round); box-shadow: 0 8px 24px rgb(0 0 0 / 20%); }
.menu nav :is(a, button.link) { padding: 0.4rem 0.75rem; border-radius: 4px; width: 100%; text-align: left; text-decoration: none; color: inherit; }
.menu nav :is(a, button.link):hover { background: var(--soft); text-decoration: none; }
.menu nav :focus-visible { outline-color: var(--accent); outline-offset: -2px; }
.menu nav [aria-current] { font-weight: 700; box-shadow: inset 3px 0 0 var(--accent); }
body:has(main .find search) header search { display: none; }
@media (width >= 48rem) {
  header .bar { flex-wrap: nowrap; }
  header search { min-width: 8.5rem; }
}
@media (width >= 75rem) {
  .menu.whole { display: none; }
  header nav { font-size: 0.9375rem; column-gap: 1rem; }
}
@media (width < 100rem) { .languages .name { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; } }
@media (width < 75rem) {
  header .main { display: none; }
  header .site { margin-right: auto; }
  header .account a + a { display: none; }
}
@media (width < 48rem) {
  header .bar { gap: 0.5rem 1rem; reading-flow: flex-visual; }
  header .site { flex: 1; font-size: 1.0625rem; gap: 0.5rem; }
  header .site img { height: 1.75rem; }
  header search { order: 4; max-width: none !important; flex-basis: 100% !important; }
  .menu .name { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .menu summary::after { display: none; }
  .menu summary { padding: 0.5rem 0.25rem; }
  .menu .icon { width: 1.4em; height: 1.4em; }
}
header .own .text { max-width: none; font-size: var(--small); }
.own.header { border-top: 1px solid rgb(255 255 255 / 20%); }
.own.header > .text { max-width: var(--wide); margin: 0 auto; padding: 0.5rem clamp(1rem, 3vw, 2rem); }
.own.header p { margin: 0; }
.own.footer { flex-basis: 100%; }
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
.row { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
.row select, .row input { width: auto; }
.checks > li { display: flex; gap: 0.75rem; align-items: baseline; }
textarea[rows="1"] { field-sizing: content; max-height: 60vh; }
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
.tips { margin: 0.5rem 0 0; font-size: var(--small); }
.tips summary { cursor: pointer; color: var(--link); width: fit-content; }
.tips dl { margin: 0.5rem 0; grid-template-columns: fit-content(60%) minmax(0, 1fr); }
.tips p { margin: 0.5rem 0; }
[data-copy] details { position: relative; }
[data-copy] details pre { padding-right: 5.5rem; }
.copy { position: absolute; right: 0.5rem; margin: 0.5rem 0; padding: 0.15rem 0.6rem; font-size: var(--small); background: var(--paper); }
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
.badge.bad { color: var(--bad); border-color: currentColor; }
.logo { max-height: 6rem; max-width: 100%; }
ul.plain { list-style: none; padding: 0; }
ul.plain > li { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
ul.tags { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; }
:target { background: var(--good-paper); }
mark { background: var(--mark); color: inherit; border-radius: 2px; }

.box { display: flex; gap: 0; max-width: 46rem; }
.box input { border-radius: var(--round) 0 0 var(--round); border-right: 0; min-width: 0; }
.box button { border-radius: 0 var(--round) var(--round) 0; white-space: nowrap; }
.box { position: relative; }
.suggestions { position: absolute; z-index: 2; top: calc(100% + 4px); left: 0; right: 0; margin: 0; padding: 0.25rem; list-style: none; background: var(--paper); color: var(--ink); border: 1px solid var(--line); border-radius: var(--round); box-shadow: 0 8px 24px rgb(0 0 0 / 20%); }
.suggestions[hidden] { display: none; }
.suggestions li { padding: 0.4rem 0.75rem; border-radius: 4px; cursor: pointer; }
.suggestions [aria-selected="true"], .suggestions li:hover { background: var(--soft); box-shadow: inset 3px 0 0 var(--accent); }
search.small { flex: 1 1 10rem; max-width: 20rem; }
.small .box input, .small .box button { padding: 0.3rem 0.6rem; border-color: transparent; }
.order { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 0.75rem; font-size: var(--small); }
.order select { width: auto; padding: 0.25rem 0.5rem; }
.order :is(select, button) { height: 2.125rem; margin: 0; }
.order button { padding: 0 0.75rem; }
.find .box { max-width: none; }

.hero { margin-top: -1rem; padding: clamp(1.5rem, 5vw, 4rem) 0 clamp(1.75rem, 5vw, 3.5rem); color: var(--on-head); background: var(--head); border-image: conic-gradient(var(--head) 0 0) fill 0 / 0 / 0 100vmax; }
.hero h1 { margin: 0 0 0.75rem; font-size: clamp(2rem, 1.4rem + 3vw, 3.5rem); letter-spacing: -0.02em; }
.hero h1::after { content: ""; display: block; width: 4rem; height: 4px; border-radius: 2px; background: var(--glow); margin-top: 0.75rem; }
.hero a { color: inherit; }
.hero :focus-visible { outline-color: var(--on-head); }
.hero > p, .hero .text { font-size: 1.125rem; max-width: 40rem; }
.hero .box { margin-top: 1.5rem; }
.hero .box input { padding: 0.9rem 1.1rem; font-size: 1.125rem; background: var(--paper); color: var(--ink); border-color: transparent; }
.hero .box button { padding: 0.9rem 1.1rem; font-size: 1.0625rem; background: var(--glow); border-color: var(--glow); color: #17212b; }
.figures { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; margin: 1.25rem 0 0; }
.figures a { text-decoration: none; font-weight: 600; }
.figures a:hover { text-decoration: underline; }
.steps { margin: 2rem 0; padding: 0.5rem 1.5rem 1rem; background: var(--soft); border-radius: calc(2 * var(--round)); }
.steps h2 { margin: 1rem 0; }
.steps ol { display: grid; gap: 1rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); padding: 0; margin: 0; list-style: none; counter-reset: step; }
.steps li { counter-increment: step; }
.steps h3::before { content: counter(step); display: inline-grid; place-items: center; width: 1.75rem; height: 1.75rem; margin-right: 0.5rem; border-radius: 50%; background: var(--accent); color: var(--on-accent); font-size: var(--small); }
.themes { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 0.75rem; }
.themes li { flex: 1 1 12.5rem; max-width: 24rem; }
@media (width < 30rem) { .themes li { max-width: none; flex-basis: 100%; } }
.themes a { display: flex; gap: 0.85rem; align-items: center; padding: 0.75rem; border: 1px solid var(--line); border-radius: calc(1.5 * var(--round)); text-decoration: none; color: inherit; box-shadow: var(--shadow); }
.themes a:hover { border-color: var(--accent); }
.themes a > span:last-child { display: grid; min-width: 0; }
.news { display: grid; gap: 0 2.5rem; }
.newest { padding-left: 1.25rem; margin: 1rem 0; }
.newest li { padding: 0.35rem 0; }
.newest li::marker { color: var(--quiet); }
.newest .hint { display: block; }
@media (min-width: 60rem) { .news { grid-template-columns: minmax(0, 1fr) 18rem; } }
.ways { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0 2.5rem; }
.pills { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; }
.pills a { display: inline-block; border: 1px solid var(--line); background: var(--soft); border-radius: 1rem; padding: 0.15rem 0.75rem; text-decoration: none; font-size: var(--small); }
.pills a:hover, .card:hover { border-color: var(--accent); }
.number { color: var(--quiet); font-variant-numeric: tabular-nums; font-size: var(--small); }

.cards { list-style: none; padding: 0; margin: 1rem 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
.cards.list { grid-template-columns: minmax(0, 1fr); }
.card { border: 1px solid var(--line); border-radius: calc(1.5 * var(--round)); box-shadow: var(--shadow); padding: 1rem 1.25rem; display: flex; flex-direction: column; gap: 0.5rem; }
.card p { margin: 0; }
.card h2 { font-size: 1.0625rem; margin: 0; }
.meta button.link { font-size: inherit; }
.card h3 a { text-decoration: none; }
.card h3 a:hover { text-decoration: underline; }
.card .meta { display: flex; flex-wrap: wrap; gap: 0.35rem 1rem; margin-top: auto; align-items: center; }
.card > .icon { width: 2rem; height: 2rem; color: var(--quiet); }
.initial { display: inline-grid; place-items: center; width: 4.5rem; height: 4.5rem; border-radius: var(--round); font-size: 2rem; font-weight: 700; color: #fff; flex: none; }
.initial.small { width: 3rem; height: 3rem; font-size: 1.375rem; }
.tint-0 { background: #0a5c8a; } .tint-1 { background: #17612f; } .tint-2 { background: #7a4b00; } .tint-3 { background: #6a2c91; } .tint-4 { background: #9c1f2e; } .tint-5 { background: #3d4f5c; }
.thumb { max-height: 3.5rem; max-width: 10rem; align-self: start; }
.format { font-size: 0.75rem; font-weight: 600; border: 1px solid currentColor; border-radius: 4px; padding: 0 0.4rem; color: var(--quiet); }
.format.is-table { color: var(--table); }
.format.is-tree { color: var(--tree); }
.format.is-map { color: var(--map); }
.format.is-text { color: var(--doc); }
.card .meta .pair { display: inline-flex; flex-wrap: wrap; gap: 0.35rem 1rem; }
.card .meta .format { margin-right: -0.5rem; }

.find { display: grid; gap: 2rem; }
.found { min-width: 0; }
.found > .text > :first-child, .found > h2:first-child { margin-top: 0; }
.find:has(> .found > h2:first-child) { margin-top: 2.25rem; }
.to-filters { margin-left: 1rem; }
.chosen { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; }
.chosen a { display: inline-flex; gap: 0.35rem; align-items: center; background: var(--accent); color: var(--on-accent); border-radius: 1rem; padding: 0.15rem 0.75rem; font-size: var(--small); text-decoration: none; }
.empty { background: var(--soft); border-radius: var(--round); padding: 1rem 1.5rem; }
#filters, main:target { background: none; }
aside > h2 { margin-top: 0; }
.facet h2 { font-size: 1rem; margin: 0 0 0.5rem; }
.facet + .facet { margin-top: 1.75rem; }
.facet ul { list-style: none; padding: 0; margin: 0; }
.facet li a { display: flex; justify-content: space-between; gap: 1rem; padding: 0.3rem 0.6rem; border-radius: 4px; text-decoration: none; }
.facet li a:hover { background: var(--soft); }
.facet [aria-current] { background: var(--soft); font-weight: 600; box-shadow: inset 3px 0 0 var(--accent); }
.facet input { margin-bottom: 0.4rem; padding: 0.3rem 0.6rem; font-size: var(--small); }
.facet p { margin: 0.25rem 0.6rem; }
.more { font-size: var(--small); }
@media (min-width: 60rem) {
  .find { grid-template-columns: minmax(0, 1fr) 18rem; }
  .to-filters { display: none; }
}
.tabs { box-shadow: inset 0 -1px var(--line); flex-wrap: nowrap; overflow-x: auto; scrollbar-width: thin; gap: 0 1.5rem; margin: 0 0 1.5rem; }
.tabs a { flex: none; padding: 0.5rem 0; text-decoration: none; border-bottom: 3px solid transparent; }
.tabs a:focus-visible { outline-offset: -3px; }
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
@media (width < 40rem) {
  .bars:not(.narrow) tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.2rem 1rem; padding: 0.35rem 0; }
  .bars:not(.narrow) :is(th, td) { padding: 0; width: auto; }
  .bars:not(.narrow) tbody td:last-child { grid-column: 1 / -1; }
  .bars:not(.narrow) svg { height: 0.4rem; }
}
.preview { margin: 1rem 0; }
.conditions { display: grid; gap: 0.5rem 0.75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr)); align-items: end; }
.conditions p { margin: 0; }
.conditions label { display: block; font-size: var(--small); }
.conditions :is(input, select) { width: 100%; padding: 0.35rem 0.5rem; }
.conditions button { justify-self: start; padding: 0.35rem 1rem; }
.columns-choice { margin: 0.75rem 0; }
.columns-choice summary { cursor: pointer; font-size: var(--small); }
.columns-choice .columns { max-height: 20rem; overflow-y: auto; }
label.check { display: flex; gap: 0.5rem; align-items: baseline; font-weight: 400; }
label.check input { width: auto; }
.grid { border: 1px solid var(--line); border-radius: var(--round); max-height: 80vh; overflow: auto; }
.grid table { font-size: var(--small); }
.grid th, .grid td { padding: 0.35rem 0.6rem; max-width: 24rem; overflow-wrap: break-word; min-width: 5rem; }
.grid thead th { position: sticky; top: 0; background: var(--soft); white-space: nowrap; }
.grid thead a { color: inherit; text-decoration: none; }
.grid thead a:hover { text-decoration: underline; }
.grid tbody th { font-weight: 400; }
.grid tbody tr:nth-child(even) { background: var(--soft); }
.grid .number { text-align: right; color: inherit; white-space: nowrap; }
.plot { margin: 1rem 0; }
.plot figcaption { margin-bottom: 0.5rem; }
.plot section svg { display: block; height: auto; width: 100%; min-width: 32rem; }
.plot section { --edge: linear-gradient(to left, rgb(128 128 128 / 35%), transparent); background: linear-gradient(var(--paper) 0 0) right / 1.5rem 100% no-repeat local, var(--edge) right / 0.75rem 100% no-repeat; }
.plot section text { white-space: pre; font-size: 12px; }
.plot table { width: auto; font-size: var(--small); }
.plot td.number, .plot th.number { text-align: right; }
.plot summary { cursor: pointer; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; margin: 0.25rem 0; font-size: var(--small); }
.legend svg { width: 0.8em; height: 0.8em; }
${CHARTS}
.ways-to-look { margin: 0.75rem 0; gap: 0.5rem; }
.ways-to-look a { border: 1px solid var(--line); border-radius: var(--round); padding: 0.25rem 0.75rem; text-decoration: none; }
.ways-to-look [aria-current] { background: var(--soft); border-color: var(--accent); font-weight: 600; }
.media :is(img, video) { max-width: 100%; max-height: 80vh; }
.media audio { width: 100%; }
.media iframe { width: 100%; height: 75vh; border: 1px solid var(--line); border-radius: var(--round); background: #fff; }
pre.file { max-height: 60vh; overflow: auto; background: var(--soft); border: 1px solid var(--line); border-radius: var(--round); padding: 1rem; font-size: var(--small); white-space: pre-wrap; }
.tree { font-size: var(--small); overflow-x: auto; }
.tree details > :not(summary) { margin: 0 0 0 1.25rem; }
.tree summary { cursor: pointer; }
.tree .name { font-weight: 600; }
.map { height: 26rem; border: 1px solid var(--line); border-radius: var(--round); margin: 1rem 0; overflow: hidden; }
.map:empty { display: none; }
h3:has(+ form) { margin: 1.5rem 0 0.75rem; }
.map ~ h3 { margin: 1.5rem 0 0.75rem; }
.map ~ .grid th[scope="row"] { white-space: nowrap; }
.map .maplibregl-ctrl-group button:focus-visible { outline: 3px solid var(--head); outline-offset: -3px; box-shadow: none; }
.map.failed { height: auto; padding: 0.75rem 1rem; }
.map .maplibregl-popup-content { background: var(--paper); color: var(--ink); max-height: 14rem; overflow: auto; }
textarea.code { font-family: ui-monospace, monospace; font-size: var(--small); width: 100%; }
.preview .cm-editor.cm-editor { border: 1px solid var(--quiet); border-radius: var(--round); background: var(--paper); font-size: var(--small); max-height: 60vh; outline: none; }
.preview .cm-editor .cm-scroller { font-family: ui-monospace, monospace; min-height: 6rem; }
.preview .cm-editor .cm-content { caret-color: var(--ink); padding: 0.5rem 0.25rem; border-radius: var(--round); }
.preview .cm-editor .cm-content:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; }
.preview .cm-editor .cm-matchingBracket { background: var(--mark); }
.preview .cm-editor .fault { text-decoration: underline wavy var(--bad); background: var(--bad-paper); }
.preview .cm-editor .cm-tooltip { background: var(--soft); color: var(--ink); border: 1px solid var(--line); }
.preview .cm-editor .cm-tooltip > ul > li[aria-selected] { background: var(--accent); color: var(--on-accent); }
.tok-keyword { color: var(--doc); font-weight: 600; }
.tok-string, .tok-string2 { color: var(--good); }
.tok-number, .tok-bool { color: var(--tree); }
.tok-comment { color: var(--quiet); font-style: italic; }
.tok-typeName { color: var(--map); }
.embed h1 { font-size: var(--large); margin: 0 0 0.5rem; }
.pages { margin: 1.5rem 0; gap: 0.5rem; }
.pages a, .pages [aria-current] { border: 1px solid var(--line); border-radius: var(--round); padding: 0.25rem 0.75rem; text-decoration: none; }
.pages [aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.sorts { display: flex; flex-wrap: wrap; gap: 1rem; font-size: var(--small); }

@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #fff; --quiet: #444; --line: #bbb; --link: #000; --accent: #000; --shadow: none; }
  header nav, header form, header details, footer, #filters, .order, .pages, .tabs, .copy, .actions, .box, .skip { display: none !important; }
  header { background: none; color: inherit; border-bottom: 1px solid var(--line); }
  .hero { color: inherit; background: none; border-image: none; padding: 0; }
  main a[href^="http"]::after { content: " (" attr(href) ")"; font-size: var(--small); color: var(--quiet); }
  .find { display: block; }
  h2, h3 { break-after: avoid; }
  details.call:not([open]) { display: none; }
  tr, li { break-inside: avoid; }
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
export const stylesOf = ({ mainCss, customCss }: { mainCss: string; customCss: string }, { css }: Theme): string[] => [
  mainCss || STYLE_ADDRESS,
  ...(css ? [css.address] : []),
  ...(customCss ? [customOf(customCss).address] : []),
];
