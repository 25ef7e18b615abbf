/** Rules of dashboards, a part of the style sheet of the pages. */
export const CHARTS = `.charts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; margin-top: 1.5rem; }
@media (min-width: 60rem) { .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); } .chart.wide { grid-column: 1 / -1; } }
.chart { margin: 0; border: 1px solid var(--line); border-radius: calc(1.5 * var(--round)); box-shadow: var(--shadow); padding: 1rem 1.25rem; display: flex; flex-direction: column; gap: 0.75rem; min-width: 0; }
.chart h2 { margin: 0; font-size: 1.0625rem; }
.chart p, .chart .tiles { margin: 0; }
.filters { grid-template-columns: repeat(auto-fit, minmax(min(100%, 10rem), 1fr)); }
.filters :is(input, select) { height: 2.5rem; min-width: 0; }
.filters > a { align-self: center; }
.chart .tiles { grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr)); gap: 0.75rem; }
.chart .tiles > div { padding: 0.75rem 1rem; }
.chart .bars { table-layout: auto; }
.chart .bars th { width: auto; }
.chart .bars td.number { width: 1%; }
.chart .bars td:last-child { width: 32%; }
@media (width < 90rem) { header .main a[href$="/dashboards"] { display: none; } }
@media (width < 110rem) { :lang(de) header .main a[href$="/dashboards"], :lang(fr) header .main a[href$="/dashboards"] { display: none; } }
.chart .empty { background: none; color: var(--quiet); padding: 0; }
@media (width < 40rem) { .chart .bars :is(th, td, td.number, td:last-child) { width: auto; } }
.chart td.number, .chart th.number { text-align: right; white-space: nowrap; }
.chart .scroll .number { color: inherit; font-size: inherit; }
.chart details.data table { font-size: var(--small); }
.chart details.data .scroll { max-height: 22rem; overflow: auto; margin-top: 0.5rem; }
.chart summary { cursor: pointer; width: fit-content; font-size: var(--small); color: var(--link); }
.axes { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.25rem 0.75rem; padding-top: 0.5rem; }
.axes svg { display: block; width: 100%; height: 14rem; overflow: visible; }
.ticks { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: 0.75rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.ticks span { height: 0; line-height: 0; }
.periods { grid-column: 2; display: grid; grid-template-columns: repeat(3, 1fr); font-size: 0.75rem; color: var(--quiet); }
.periods span:nth-child(2) { text-align: center; }
.periods span:nth-child(3) { text-align: right; }
.axes .rule { stroke: var(--line); vector-effect: non-scaling-stroke; }
.axes .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.axes .area { fill-opacity: 0.85; }
.axes .lines .area { fill-opacity: 0.15; }
.spot { fill: transparent; }
.axes a:hover .spot, .axes :not(a) > .spot:hover { fill: var(--ink); fill-opacity: 0.08; }
.s1 { stroke: var(--series-1); fill: var(--series-1); } .s2 { stroke: var(--series-2); fill: var(--series-2); } .s3 { stroke: var(--series-3); fill: var(--series-3); } .s4 { stroke: var(--series-4); fill: var(--series-4); }
.area { stroke: none; }
.chart .uses { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-top: auto; padding-top: 0.5rem; border-top: 1px solid var(--line); font-size: var(--small); align-items: baseline; }
.uses details[open] { flex-basis: 100%; }
.uses pre { margin: 0.5rem 0 0; padding: 0.75rem 1rem; background: var(--soft); border-radius: var(--round); white-space: pre-wrap; }`;
