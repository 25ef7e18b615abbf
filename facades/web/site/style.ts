/** Style sheet of the pages. Its URL contains a hash of its text, so clients may cache it permanently. */
import { hashOf } from '../../shared/packed.ts';

export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2329; --paper: #fff; --quiet: #5a6570; --line: #cfd6dc; --link: #0b57a4; --accent: #0b57a4; --on-accent: #fff; --bad: #a3161b; --bad-paper: #fdf0f0; --good: #17612f; --good-paper: #eef8f0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecef; --paper: #171b1f; --quiet: #a3aeb8; --line: #3d464e; --link: #82b7ee; --accent: #82b7ee; --on-accent: #10151a; --bad: #ff9b9b; --bad-paper: #2e1a1b; --good: #8fd9a5; --good-paper: #16271b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.hidden { position: absolute; left: -100vw; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--paper); padding: 0.5rem; }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; justify-content: space-between; border-bottom: 1px solid var(--line); }
header .site { font-weight: 600; font-size: 1.25rem; text-decoration: none; color: inherit; }
nav { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
footer { color: var(--quiet); border-top: 1px solid var(--line); margin-top: 3rem; }
h1 { font-size: 1.75rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h3 { font-size: 1rem; }
form.stacked { display: grid; gap: 1rem; max-width: 28rem; }
.field { display: grid; gap: 0.25rem; }
label { font-weight: 600; }
.hint { color: var(--quiet); font-size: 0.9rem; }
.fault { color: var(--bad); }
input, select, textarea { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: 4px; padding: 0.5rem; width: 100%; }
input[type="checkbox"] { width: auto; }
[aria-invalid="true"] { border-color: var(--bad); border-width: 2px; }
button { font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 4px; padding: 0.5rem 1rem; cursor: pointer; justify-self: start; }
button.quiet { color: var(--accent); background: none; }
button.link { color: var(--link); background: none; border: 0; padding: 0; font-weight: 400; text-decoration: underline; }
.notice { border-left: 4px solid var(--good); background: var(--good-paper); color: var(--good); padding: 0.75rem 1rem; }
.notice.bad { border-color: var(--bad); background: var(--bad-paper); color: var(--bad); }
code { font-family: ui-monospace, monospace; }
.key { display: block; padding: 0.75rem; border: 1px solid var(--line); border-radius: 4px; user-select: all; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: 0.25rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
th, td { text-align: left; padding: 0.5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.scroll { overflow-x: auto; }
.text table, .text pre { display: block; overflow-x: auto; }
.text img { max-width: 100%; }
.quiet { color: var(--quiet); margin: 0.25rem 0 0; white-space: pre-line; }
.badge { font-size: 0.8rem; border: 1px solid var(--line); border-radius: 4px; padding: 0 0.4rem; }
.logo { max-height: 6rem; max-width: 100%; }
ul.plain { list-style: none; padding: 0; }
ul.plain > li { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
ul.tags { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; }
:target { background: var(--good-paper); }
`;

export const STYLE_ADDRESS = `/static/site/${hashOf(STYLE)}.css`;
