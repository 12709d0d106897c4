import { refuse } from "#core/app-error.ts";
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { isSlug, SLUG_RULE } from "#core/device/slug.ts";
import { madeByOf } from "#core/rule/controllers/made-by.ts";
import { splitTests } from "#core/rule/kept-tests.ts";
import type { Explanation } from "#core/rule/rule-report.ts";
import {
  ENGINE_STATES,
  LONGEST_INTERVAL_MS,
  LONGEST_VARIABLE,
  MOST_CODE_BYTES,
  MOST_RULES,
  type RuleScript,
  SHORTEST_INTERVAL_MS,
  type SiteRule,
} from "#core/rule/site-rule.ts";
import { durationProblem, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { SiteVariable, StoredLogLine } from "#service/ports/rule-store.ts";
import type { RulesOfSite, ShownRules, Source } from "./rules-of-site.ts";
import { stateOf } from "./shown-state.ts";
import { lastRunSchema, renderLastRun } from "./trace-wire.ts";

const LANGUAGES = ["lua", "yaml"] as const;

const slug = Type.String({ minLength: 1, maxLength: 64, description: "Unique on the site." });

export const newScriptSchema = strict("NewRuleScript", {
  code: Type.String({
    maxLength: Math.ceil(MOST_CODE_BYTES / 3) * 4,
    description: "Base64 of the text.",
  }),
  runtime_version: oneOf(["V1", "V3"], { description: "V1 is refused." }),
  language: Type.Optional(oneOf(LANGUAGES, { description: "Default: lua. yaml: a declarative rule." })),
  exec_interval: Type.Optional(
    Type.String({
      maxLength: 50,
      description:
        "How often the script runs as a whole. Without it, or with 0s, it runs once and goes on by its jobs.",
    }),
  ),
});

export const newRuleSchema = strict("NewRule", {
  slug,
  script: newScriptSchema,
  disable: Type.Optional(Type.Boolean({ description: "Default: false, it runs at once." })),
});

export const ruleChangeSchema = strict("RuleChange", { slug });
export const scriptChangeSchema = strict("RuleScriptChange", { script: newScriptSchema });
export const ruleNamesSchema = strict("RuleNames", {
  rule_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: MOST_RULES,
    description: "Ids or slugs. All of them are changed, or none.",
  }),
});

const sourceFields = {
  reported_by: {
    ...nullable(Type.String()),
    description: "In a cloud: the gateway that runs the rules and reported this. null: they run here.",
  },
  not_confirmed_since: {
    ...nullable(timestamp),
    description: "In a cloud: the gateway has been offline since then, and nobody knows whether this is still so.",
  },
};

export const engineSchema = described("RuleEngine", "What runs the rules of a site.", {
  id: id("That of the site."),
  state: oneOf(ENGINE_STATES),
  timezone: Type.String({ description: "Of the site." }),
  ...sourceFields,
});

const errorSchema = described("RuleError", "The last error of a rule that its script did not catch.", {
  message: Type.String(),
  file: nullable(Type.String()),
  line: nullable(Type.Integer()),
  traceback: nullable(Type.String({ description: "The frames that led there." })),
  at: timestamp,
});

const madeBySchema = described("RuleController", "The controller that made a rule.", {
  id: Type.String(),
  parameters: Type.Unsafe<Readonly<Record<string, string | number | boolean>>>({
    type: "object",
    additionalProperties: { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] },
  }),
  is_changed: Type.Boolean({ description: "Somebody has edited the text since." }),
});

export const RULE_STATES = ["STARTED", "STOPPED"] as const;

export const explanationSchema = described("RuleExplanation", "What the rule says about what it does.", {
  text: Type.String(),
  at: timestamp,
});

export const ruleSchema = described("Rule", "A rule of a site.", {
  id: id("Rule identifier."),
  slug: Type.String(),
  disabled: Type.Boolean(),
  state: oneOf(RULE_STATES, { description: "STOPPED also between a failure and the next start." }),
  script: described("RuleScript", "What a rule runs.", {
    code: Type.String({ description: "Base64 of the text." }),
    runtime_version: oneOf(["V3"]),
    language: oneOf(LANGUAGES, { description: "yaml: a declarative rule." }),
    exec_interval: Type.Optional(Type.String()),
  }),
  revision: Type.Integer({ description: "Rises with each change. For the header If-Match." }),
  last_error: nullable(errorSchema),
  restart_at: nullable({ ...timestamp, description: "When it starts again after a failure." }),
  explanation: nullable(explanationSchema),
  controller: nullable(madeBySchema),
  last_run: nullable(lastRunSchema),
  created_at: timestamp,
  updated_at: timestamp,
  ...sourceFields,
});

export const logLineSchema = described("RuleLogLine", "A line of a rule's log.", {
  sequence: Type.Integer({ description: "Rises with each line of the rule." }),
  timestamp: Type.Integer({ description: "Unix seconds." }),
  severity: oneOf(LOG_SEVERITIES),
  message: Type.String(),
});

const value = Type.Unsafe<string | number | boolean>({
  anyOf: [{ type: "string", minLength: 1, maxLength: LONGEST_VARIABLE }, { type: "number" }, { type: "boolean" }],
});

export const variableChangeSchema = strict("VariableChange", { value });
export const variableSchema = described(
  "Variable",
  "A value of a site that rules read, and that people and rules set.",
  {
    name: Type.String(),
    value,
    updated_at: timestamp,
    ...sourceFields,
  },
);

export function parseSlug(text: string): string {
  if (isSlug(text)) return text;
  throw refuse("invalid_body", SLUG_RULE, { pointer: "/slug" });
}

/** All mistakes of a script are refused before it is stored; those in its code by its runner. */
export function parseScript(given: Static<typeof newScriptSchema>): RuleScript {
  const { code, runtime_version: version, language = "lua", exec_interval: interval } = given;
  const wrong = (field: string, message: string) => refuse("invalid_body", message, { pointer: `/script/${field}` });
  if (version === "V1")
    throw wrong("runtime_version", "rules of runtime version V1 do not run here; write them for V3");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(code)) {
    throw wrong("code", "code must be base64 of the script's text");
  }
  if (Buffer.byteLength(code, "base64") > MOST_CODE_BYTES) {
    throw wrong("code", `the code of a rule has at most ${MOST_CODE_BYTES / 1024} KiB`);
  }
  const execInterval = parseInterval(interval, wrong);
  if (language === "lua") return { code, runtimeVersion: "V3", execInterval };
  if (execInterval === undefined) return { code, runtimeVersion: "DECLARATIVE", execInterval };
  throw wrong("exec_interval", "a rule in YAML says itself when it runs, such as `every: 5m`; leave exec_interval out");
}

function parseInterval(text: string | undefined, wrong: (field: string, message: string) => Error) {
  if (text === undefined || text === "") return undefined;
  const parsed = parseDuration(text);
  if (parsed === undefined) throw wrong("exec_interval", `exec_interval ${durationProblem(text)}`);
  const ms = toMilliseconds(parsed);
  if (ms === 0) return undefined;
  if (ms >= SHORTEST_INTERVAL_MS && ms <= LONGEST_INTERVAL_MS) return text;
  throw wrong("exec_interval", "exec_interval goes from 1s to 7d; 0s means none");
}

const renderSource = ({ reportedBy, unconfirmedSince }: Source) => ({
  reported_by: reportedBy ?? null,
  not_confirmed_since: unconfirmedSince === undefined ? null : renderInstant(instant(unconfirmedSince)),
});

export const renderEngine = (known: RulesOfSite): Static<typeof engineSchema> => ({
  id: known.site.id,
  state: known.state,
  timezone: known.site.timezone,
  ...renderSource(known),
});

export function renderRule(rule: SiteRule, known: ShownRules): Static<typeof ruleSchema> {
  const { code, runtimeVersion, execInterval } = rule.script;
  const report = known.report(rule);
  const { lastError: error, explanation } = report ?? {};
  const lastRun = known.lastRun(rule);
  return {
    id: rule.id,
    slug: rule.slug,
    disabled: rule.disabled,
    state: stateOf(rule, known.state === "ACTIVE", report),
    script: {
      code,
      // Public clients know no other version.
      runtime_version: "V3",
      language: runtimeVersion === "DECLARATIVE" ? "yaml" : "lua",
      ...(execInterval === undefined ? {} : { exec_interval: execInterval }),
    },
    revision: rule.revision,
    last_error:
      error === undefined
        ? null
        : {
            message: error.message,
            file: error.file ?? null,
            line: error.line ?? null,
            traceback: error.traceback ?? null,
            at: renderInstant(error.at),
          },
    restart_at: report?.restartAt === undefined ? null : renderInstant(report.restartAt),
    explanation: renderExplanation(explanation),
    controller: runtimeVersion === "DECLARATIVE" ? renderMadeBy(code) : null,
    last_run: lastRun === undefined ? null : renderLastRun(lastRun),
    created_at: renderInstant(rule.createdAt),
    updated_at: renderInstant(rule.updatedAt),
    ...renderSource(known),
  };
}

function renderMadeBy(code: string): Static<typeof madeBySchema> | null {
  const found = madeByOf(splitTests(Buffer.from(code, "base64").toString("utf8"), "yaml").text);
  return found === undefined ? null : { id: found.id, parameters: found.parameters, is_changed: found.isChanged };
}

export const renderExplanation = (explanation: Explanation | undefined): Static<typeof explanationSchema> | null =>
  explanation === undefined ? null : { text: explanation.text, at: renderInstant(explanation.at) };

export const renderLogLine = ({ sequence, at, severity, message }: StoredLogLine): Static<typeof logLineSchema> => ({
  sequence,
  timestamp: Math.floor(at / 1000),
  severity,
  message,
});

export const renderVariable = (
  { name, value, updatedAt }: SiteVariable,
  source: Source,
): Static<typeof variableSchema> => ({
  name,
  value,
  updated_at: renderInstant(updatedAt),
  ...renderSource(source),
});
