// A request as traces show it: who is asked, and never what could be a secret. Traces are read by everyone who may see the rule.

import { say } from "./run-phrases.ts";

/** As a trace shows it. */
export interface SentRequest {
  /** A phrase. */
  readonly what: string;
  /** One that only reads leaves no trace by itself. */
  readonly changes: boolean;
}

const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function sentRequest(method: string, url: string): SentRequest {
  const shown = shownRequest(method, url);
  return { what: say("request", shown), changes: !READING.has(shown.method) };
}

/** What came of it. */
export function requestResult(code: number | undefined, problem: string, ms: number): string {
  const after = { ms: Math.max(0, Math.round(ms)) };
  return code === undefined
    ? say("unanswered", { problem: shownProblem(problem), ...after })
    : say("answered", { code, ...after });
}

/** Without login, query and fragment; parts of the path that look like keys are left out. */
export function shownRequest(method: string, url: string): { readonly method: string; readonly server: string } {
  const shownMethod = /^[A-Za-z]{1,10}$/.test(method) ? method.toUpperCase() : "?";
  if (!URL.canParse(url)) return { method: shownMethod, server: "?" };
  const { host, pathname } = new URL(url);
  const path = pathname.split("/").map(shownPart).join("/");
  return { method: shownMethod, server: `${host}${path === "/" ? "" : path}`.slice(0, LONGEST) };
}

const LONGEST = 120;
/** Ids of devices are as long as keys. Rather too little is shown than too much. */
const LONGEST_PART = 20;

function shownPart(part: string): string {
  const hasBoth = /\d/.test(part) && /[A-Za-z]/.test(part);
  return part.length > LONGEST_PART || part.includes(":") || (hasBoth && part.length > 11) ? "…" : part;
}

/** Why there is no answer. A sentence that could repeat what the script wrote is left out. */
export function shownProblem(problem: string): string {
  return /["@?]|\/\//.test(problem) ? "no answer" : problem.slice(0, LONGEST);
}
