import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { runWithDeadline } from "./run-with-deadline.ts";

type JsonFault = {
  /** JSON pointer into the checked value. */
  readonly pointer: string;
  readonly message: string;
};

/**
 * Checks a value; an empty list means that it fits. Never throws and always ends, whatever the schema's patterns do.
 */
export type CheckJson = (value: unknown) => readonly JsonFault[];

export type CompiledSchema = { readonly check: CheckJson } | { readonly problem: string };

export function describeFault({ pointer, message }: JsonFault): string {
  return `does not fit its schema: ${pointer || "it"} ${message}`;
}

const JSON_SCHEMA_LIMITS = {
  /** Bytes of schema text. */
  bytes: 64 * 1024,
  depth: 64,
  faults: 20,
  /** Milliseconds for all schemas of a blueprint. Normal schemas take a few; the rest is room for a slow machine. */
  compileDeadline: 2000,
  /** Milliseconds for one value. */
  checkDeadline: 100,
} as const;

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DRAFT_2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** Compiles a JSON schema (draft 2020-12, or draft-07 when its `$schema` says so). References stay inside the schema. */
export function compileJsonSchema(text: string): CompiledSchema {
  const [compiled = UNFINISHED] = compileJsonSchemas([text]);
  return compiled;
}

const UNFINISHED = { problem: "it takes too long to compile" } as const;
const UNTOUCHED = { problem: "it was not compiled, because another one takes too long" } as const;

/** The same for many, in order and under one common deadline: sending a hundred slow schemas gains nothing. */
export function compileJsonSchemas(texts: readonly string[]): readonly CompiledSchema[] {
  const prepared = texts.map(prepare);
  const done: CompiledSchema[] = [];
  runWithDeadline(JSON_SCHEMA_LIMITS.compileDeadline, () => {
    // It may start over: then it goes on with the one that was stopped.
    for (const one of prepared.slice(done.length)) done.push("problem" in one ? one : compile(one));
  });
  return prepared.map((_, index) => done[index] ?? (index === done.length ? UNFINISHED : UNTOUCHED));
}

type Prepared = { readonly schema: Schema; readonly dialect: Dialect; readonly judge: Ajv };

/**
 * Everything that does not depend on the schema's content, such as creating shared validators, runs outside the
 * deadline.
 */
function prepare(text: string): Prepared | { readonly problem: string } {
  if (text.length > JSON_SCHEMA_LIMITS.bytes) return { problem: `it is larger than ${JSON_SCHEMA_LIMITS.bytes} bytes` };
  const parsed = parseSchemaText(text);
  if ("problem" in parsed) return parsed;
  const dialect = findDialect(parsed.schema);
  if (dialect === undefined) return { problem: "its $schema is neither draft 2020-12 nor draft-07" };
  return { schema: parsed.schema, dialect, judge: metaJudge(dialect) };
}

function compile({ schema, dialect, judge }: Prepared): CompiledSchema {
  try {
    if (!isSchema(judge, schema)) {
      const [first] = judge.errors ?? [];
      return { problem: `it is no JSON schema: ${first?.instancePath || "/"} ${first?.message ?? "is wrong"}` };
    }
    const validate = newAjv(dialect).compile(schema);
    // An asynchronous check returns a promise, which would count as a yes.
    if ("$async" in validate) return { problem: "$async is not supported" };
    return { check: (value) => checkJson(validate, value) };
  } catch (error) {
    return { problem: explainCompileError(error) };
  }
}

type Dialect = "2020-12" | "draft-07";
type Schema = Readonly<Record<string, unknown>> | boolean;

function parseSchemaText(text: string): { readonly schema: Schema } | { readonly problem: string } {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return { problem: `it is not JSON: ${error instanceof Error ? error.message : "unreadable"}` };
  }
  if (isDeeperThan(schema, JSON_SCHEMA_LIMITS.depth)) {
    return { problem: `it is nested more than ${JSON_SCHEMA_LIMITS.depth} levels deep` };
  }
  if (typeof schema === "boolean") return { schema };
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return { schema: schema as Schema };
  return { problem: "a schema is an object" };
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function findDialect(schema: Schema): Dialect | undefined {
  const named = typeof schema === "object" && Object.hasOwn(schema, "$schema") ? schema.$schema : undefined;
  if (named === undefined) return "2020-12";
  if (typeof named !== "string") return undefined;
  if (DRAFT_2020.test(named)) return "2020-12";
  return DRAFT_7.test(named) ? "draft-07" : undefined;
}

/**
 * One per schema, so that no schema sees another's `$id`. Own properties only: `constructor` is an ordinary name.
 * References are called, not inlined: a schema of 64 KiB must not become a program of 64 MiB.
 */
function newAjv(dialect: Dialect): Ajv {
  const Engine = dialect === "2020-12" ? Ajv2020 : Ajv;
  const ajv = new Engine({
    strict: false,
    allErrors: true,
    ownProperties: true,
    inlineRefs: false,
    logger: false,
    meta: false,
    validateSchema: false,
  });
  formats.default(ajv, { mode: "full" });
  return ajv;
}

const judges = new Map<Dialect, Ajv>();

/** Compiling the meta-schema takes longer than everything else, so it is done once, outside any deadline. */
function metaJudge(dialect: Dialect): Ajv {
  const known = judges.get(dialect);
  if (known !== undefined) return known;
  const judge =
    dialect === "2020-12" ? new Ajv2020({ strict: false, logger: false }) : new Ajv({ strict: false, logger: false });
  formats.default(judge, { mode: "full" });
  isSchema(judge, {});
  judges.set(dialect, judge);
  return judge;
}

/** Never a promise, because the meta-schemas are synchronous. */
function isSchema(judge: Ajv, schema: Schema): boolean {
  return judge.validateSchema(schema) === true;
}

function checkJson(validate: ValidateFunction, value: unknown): readonly JsonFault[] {
  try {
    const outcome = runWithDeadline(JSON_SCHEMA_LIMITS.checkDeadline, () => (validate(value) ? [] : validate.errors));
    if (!outcome.ended) {
      return [
        {
          pointer: "",
          message: `could not be checked against its schema within ${JSON_SCHEMA_LIMITS.checkDeadline} ms`,
        },
      ];
    }
    return (outcome.value ?? []).slice(0, JSON_SCHEMA_LIMITS.faults).map(explainFault);
  } catch {
    // The pattern is too large to run, or the value is nested too deep for the stack.
    return [{ pointer: "", message: "could not be checked against its schema" }];
  }
}

function explainFault({ keyword, instancePath, params, message }: ErrorObject): JsonFault {
  const list = (values: unknown) =>
    Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(", ") : "";
  const words: Readonly<Record<string, string>> = {
    additionalProperties: `has an unknown field ${JSON.stringify(params["additionalProperty"])}`,
    unevaluatedProperties: `has an unknown field ${JSON.stringify(params["unevaluatedProperty"])}`,
    required: `lacks the field ${JSON.stringify(params["missingProperty"])}`,
    enum: `must be one of ${list(params["allowedValues"])}`,
    const: `must be ${JSON.stringify(params["allowedValue"])}`,
  };
  return { pointer: instancePath, message: (Object.hasOwn(words, keyword) ? words[keyword] : message) ?? "is wrong" };
}

function explainCompileError(error: unknown): string {
  if (error instanceof Error && "missingRef" in error) {
    return `it refers to ${JSON.stringify(error.missingRef)}, which is not part of it; references stay inside the schema`;
  }
  return `it cannot be compiled: ${error instanceof Error ? error.message : "unknown reason"}`;
}
