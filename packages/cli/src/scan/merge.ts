// Partial reports made one. Owns the reading of report files and what is wrong with those that are none.

import { readFile } from "node:fs/promises";
import { messageOf, Misuse } from "../failure.ts";
import { inputFailure } from "../input/open.ts";
import { COUNTS } from "./facts.ts";
import { type Group, ReportBuilder, type ScanReport } from "./report.ts";

/**
 * The report of all.
 *
 * @param paths Files that `scan --json` wrote.
 * @throws Misuse where one cannot be read or is no report: a sum without it would be wrong.
 */
export async function mergeReports(paths: readonly string[]): Promise<ScanReport> {
  const builder = new ReportBuilder();
  for (const path of paths) builder.merge(await readReport(path));
  return builder.result;
}

async function readReport(path: string): Promise<ScanReport> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Misuse(`cannot read ${path}: ${inputFailure(error).message}`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Misuse(`${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const problem = problemOf(value);
  if (problem !== undefined)
    throw new Misuse(`${path} ${problem}; --merge takes files that "unbraid scan --json" wrote`);
  return value as ScanReport;
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value) || value["format"] !== "unbraid-scan") return "is no report of a scan";
  if (value["version"] !== 1) return `is a report of version ${JSON.stringify(value["version"])}, and 1 is known`;
  const whole =
    isList(value["groups"], isGroup) &&
    isList(value["worst"], isExample) &&
    isList(value["broken"], (one) => typeof one["name"] === "string" && typeof one["message"] === "string") &&
    ["files", "skipped", "brokenFiles"].every((name) => isCount(value[name]));
  return whole ? undefined : "is a damaged report";
}

function isGroup(group: Readonly<Record<string, unknown>>): boolean {
  const counts = group["counts"];
  return (
    ["protocol", "model", "server"].every((name) => group[name] === null || typeof group[name] === "string") &&
    isRecord(counts) &&
    COUNTS.every((name) => isCount(counts[name])) &&
    isCounts(group["notices"]) &&
    isCounts(group["finishes"]) &&
    (["fragments", "firstFragment", "gaps"] satisfies (keyof Group)[]).every((name) => isHistogram(group[name]))
  );
}

function isExample(example: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof example["name"] === "string" &&
    typeof example["weight"] === "number" &&
    Array.isArray(example["what"]) &&
    example["what"].every((word) => typeof word === "string")
  );
}

function isHistogram(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value["count"]) &&
    ["min", "max"].every((name) => typeof value[name] === "number") &&
    isCounts(value["buckets"]) &&
    Object.keys(value["buckets"] as object).every((bucket) => isCount(Number(bucket)))
  );
}

function isList(value: unknown, holds: (item: Readonly<Record<string, unknown>>) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isRecord(item) && holds(item));
}

function isCounts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isCount);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
