// Checks every answer of a test run against the server's own OpenAPI document: status, content type, headers and
// schema.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ErrorCode } from "#core/app-error.ts";
import { STATUS } from "#http/problem.ts";

type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly spec: Json;
}

interface Seen {
  readonly method: string;
  /** With its query, as sent. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type CheckAnswer = (seen: Seen) => void;

export function operationsOf(document: Json): readonly Operation[] {
  return Object.entries(document["paths"] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, spec]) => ({ method: method.toUpperCase(), path, spec: spec as Json })),
  );
}

const made = new Map<string, CheckAnswer>();

/** One for each document. */
export function checkAnswerOf(text: string): CheckAnswer {
  const check = made.get(text) ?? createCheckAnswer(JSON.parse(text) as Json);
  made.set(text, check);
  return check;
}

export function createCheckAnswer(document: Json): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "doc");
  const matchers = operationsOf(document).map((operation) => ({
    ...operation,
    pattern: new RegExp(`^(?:/api)?${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
  }));
  const validators = new Map<string, ValidateFunction>();

  function validator(pointer: string): ValidateFunction {
    let validate = validators.get(pointer);
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `doc#${pointer}` });
      validators.set(pointer, validate);
    }
    return validate;
  }

  return ({ method, path, status, headers, text }) => {
    const what = `${method} ${path.slice(0, 200)} answered ${status} ${text.slice(0, 300)}`;
    const complain = (problem: string) => {
      throw new Error(`${problem}: ${what}`);
    };
    if (!headers.get("x-request-id")) complain("no X-Request-Id");
    const type = headers.get("content-type");
    if (status !== 200) {
      if (type !== "application/json") complain(`content type ${type} on a refusal`);
      if (method === "HEAD") return;
      checkSchema(validator("/components/schemas/Errors"), JSON.parse(text), complain);
      const { errors } = JSON.parse(text) as { errors: readonly { code: ErrorCode }[] };
      // Several things may be wrong at once, each in its own way: the gravest gives the status.
      const statuses = errors.map(({ code }) => STATUS[code]);
      const gravest = [401, 403, 404].find((one) => statuses.includes(one)) ?? statuses[0];
      if (gravest !== status) complain(`the gravest error belongs to ${gravest}`);
      if (status === 429 && !/^[1-9]\d*$/.test(headers.get("retry-after") ?? "")) complain("no whole Retry-After");
      return;
    }
    const bare = path.split("?", 1)[0] ?? path;
    const asked = method === "HEAD" ? "GET" : method;
    const found = matchers
      .filter((one) => one.method === asked && one.pattern.test(bare))
      .sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
    if (found === undefined) return complain("the OpenAPI document has no such operation");
    const content = ((found.spec["responses"] as Json)["200"] as Json)["content"] as Json;
    const declared = Object.keys(content).find((one) =>
      one === "application/json" ? type === one : type?.split(";")[0] === one.split(";")[0],
    );
    if (declared === undefined) return complain(`content type ${type} where the document has ${Object.keys(content)}`);
    if (declared !== "application/json" || method === "HEAD") return;
    // One of several forms is described in words.
    if (!("schema" in (content[declared] as Json))) return;
    const parts = ["paths", found.path, asked.toLowerCase(), "responses", "200", "content", declared, "schema"];
    const pointer = parts.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
    checkSchema(validator(pointer.join("")), JSON.parse(text), complain);
  };
}

function checkSchema(validate: ValidateFunction, value: unknown, complain: (problem: string) => void): void {
  if (validate(value)) return;
  const problems = (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  complain(`not what the document promises (${problems.slice(0, 5).join("; ")})`);
}
