// The audit's report as one page that needs nothing else: no script, no address, no font. Owns its markup; every name in it
// comes from bodies and is escaped. Plots are in plots.ts.

import { COUNTS } from "./facts.ts";
import { count, milliseconds, percent, size, spread } from "./numbers.ts";
import { barPlot, distributionPlot, escaped, statusPlot } from "./plots.ts";
import type { Group, ScanReport } from "./report.ts";
import { joined } from "./table.ts";

/** Rows of a plot; the table below has all. */
const MAX_ROWS = 40;

/**
 * The page.
 *
 * @param made When it was made, as the page says it.
 */
export function scanHtml(report: ScanReport, made: string): string {
  const { totals, groups, notices, worst, broken, brokenFiles } = report;
  const labelled = labelledGroups(groups);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Tool calls in ${count(totals.responses)} responses</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Tool calls in ${count(totals.responses)} responses</h1>
<p>${count(report.files)} files, ${size(totals.bytes)}; made ${escaped(made)} by unbraid scan${report.skipped > 0 ? `; ${count(report.skipped)} other files had no stream in them` : ""}</p>
${report.interrupted === true ? '<p class="bad">The scan was interrupted: this is what was read until then.</p>' : ""}
</header>
<main>
<section class="figures" aria-label="Totals">
${figure("calls", totals.calls)}
${(["complete", "truncated", "malformed"] as const).map((name) => figure(name, totals[name], percent(totals[name], totals.calls))).join("\n")}
${figure("without a terminal signal", totals.unfinished, percent(totals.unfinished, totals.responses))}
${figure("responses with a notice", totals.irregular, percent(totals.irregular, totals.responses))}
</section>
${section("How calls ended, by model", statusPlot(labelled.filter(({ counts }) => counts.calls > 0).slice(0, MAX_ROWS)))}
${section("What was irregular", barPlot(Object.entries(notices).slice(0, MAX_ROWS)))}
${distribution("Fragments a call", groups, "fragments", count)}
${distribution("Time to the first fragment of a call", groups, "firstFragment", milliseconds)}
${distribution("Time between fragments", groups, "gaps", milliseconds)}
${section("All figures", groupTable(groups))}
${worst.length === 0 ? "" : section("Look at these first", list(worst.map(({ name, what }) => `<code>${escaped(name)}</code><br><small>${escaped(what.join(", "))}</small>`)))}
${brokenFiles === 0 ? "" : section(`${count(brokenFiles)} files could not be read, or not to the end`, list(broken.map(({ name, message }) => `<code>${escaped(name)}</code><br><small>${escaped(message)}</small>`)))}
</main>
</body>
</html>
`;
}

/** The groups by their models; where wires share a model, by both. */
function labelledGroups(groups: readonly Group[]): readonly (Group & { readonly label: string })[] {
  const times = new Map<string, number>();
  for (const group of groups) times.set(labelOf(group), (times.get(labelOf(group)) ?? 0) + 1);
  return groups.map((group) => {
    const label = labelOf(group);
    return { ...group, label: times.get(label) === 1 || group.model === null ? label : `${label}, ${group.protocol}` };
  });
}

function labelOf({ protocol, model, server }: Group): string {
  const name = model ?? protocol ?? "no known wire";
  return server === null ? name : `${name} @ ${server}`;
}

function figure(label: string, value: number, share = ""): string {
  return `<div><b>${count(value)}</b> <span>${label}${share === "" ? "" : ` (${escaped(share)})`}</span></div>`;
}

function section(title: string, content: string): string {
  return content === "" ? "" : `<section><h2>${escaped(title)}</h2>\n${content}\n</section>`;
}

function distribution(
  title: string,
  groups: readonly Group[],
  name: "fragments" | "firstFragment" | "gaps",
  word: (value: number) => string,
): string {
  const all = joined(groups, name);
  const words = spread(all, word);
  return words === undefined ? "" : section(title, `<p>${escaped(words)}</p>\n${distributionPlot(all, word)}`);
}

function groupTable(groups: readonly Group[]): string {
  const head = ["protocol", "model", "server", ...COUNTS].map((name) => `<th scope="col">${name}</th>`).join("");
  const rows = groups.map(({ protocol, model, server, counts }) => {
    const names = [protocol, model, server].map((name) => `<td>${escaped(name ?? "–")}</td>`).join("");
    return `<tr>${names}${COUNTS.map((name) => `<td class="number">${count(counts[name])}</td>`).join("")}</tr>`;
  });
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

function list(items: readonly string[]): string {
  return `<ol>${items.map((item) => `<li>${item}</li>`).join("\n")}</ol>`;
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#5b6470;--line:#d8dee4;--paper:#fff;--card:#f6f8fa;--good:#2a8a4a;--cut:#c77700;--bad:#c4314b;--bar:#4263b8}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--dim:#9aa4b0;--line:#343b44;--paper:#14171b;--card:#1c2127;--good:#4cb56f;--cut:#e0a040;--bad:#f06a80;--bar:#7f9cf0}}
body{margin:0 auto;max-width:72rem;padding:1.5rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}header p{color:var(--dim);margin:.25rem 0}.bad{color:var(--bad)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.75rem;margin:1.25rem 0}.figures div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem .9rem}.figures b{display:block;font-size:1.4rem;font-variant-numeric:tabular-nums}.figures span{color:var(--dim);font-size:.85rem}
section{overflow-x:auto}section>svg{min-width:42rem}
svg{display:block;width:100%;height:auto;overflow:visible}svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .dim{fill:var(--dim)}
.good{fill:var(--good)}.cut{fill:var(--cut)}.broken{fill:var(--bad)}.bar{fill:var(--bar)}.axis{stroke:var(--line)}
.key{display:flex;gap:1rem;font-size:.85rem;color:var(--dim);margin:0 0 .5rem}.key i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.35em}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}.number{text-align:right;font-variant-numeric:tabular-nums}
li{margin:.4rem 0;overflow-wrap:anywhere}small{color:var(--dim)}
`.trim();
