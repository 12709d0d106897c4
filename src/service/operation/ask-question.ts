// On a cloud: what only the gateway of a site can answer is read there, and the caller gets its answer, as far as that has the form
// that the operation declares. A gateway is not trusted: callers index what an answer must have.
import { Ajv, type ValidateFunction } from "ajv";
import { refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { GatewayQuestions } from "#service/link/gateway-questions.ts";
import type { AnyCall, CarriedQuestion, Operation } from "#service/operation/operation.ts";
import type { QuerySpec } from "#service/operation/query.ts";
import type { Schema } from "#service/operation/schema.ts";

interface Question {
  readonly operation: Operation;
  readonly call: AnyCall;
  readonly atGateway: CarriedQuestion;
  readonly gatewayId: string;
}

export async function askQuestion(
  questions: Pick<GatewayQuestions, "ask">,
  { operation, call, atGateway, gatewayId }: Question,
): Promise<object> {
  const answer = await questions.ask(call, {
    gatewayId,
    operation: operation.name,
    params: { ...call.params },
    query: queryTexts(operation.query ?? {}, call.query),
    body: call.body as Payload | undefined,
    withinMs: atGateway.withinMs,
    signal: call.signal(),
  });
  if (fitsOf(operation)(answer)) return answer;
  throw refuse("gateway_unreachable", "the gateway has answered in a form that this cloud cannot read");
}

/** What a later version adds to an answer is left out. */
const ajv = new Ajv({ strict: false, validateFormats: false, removeAdditional: true });
const compiled = new WeakMap<Schema, ValidateFunction>();

function fitsOf({ answer }: Operation): ValidateFunction {
  const schema = answer as Schema;
  const known = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, known);
  return known;
}

/** The query as it is written in a URL. */
export function queryTexts(spec: QuerySpec, parsed: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, param] of Object.entries(spec)) {
    const value = parsed[name];
    if (value === undefined) continue;
    if (value instanceof Map) {
      for (const [key, items] of value) texts[name.replace("[]", `[${key}]`)] = items.join(",");
    } else if (Array.isArray(value)) texts[name] = value.join(",");
    else if (param.schema["format"] === "date-time") texts[name] = renderInstant(value as never);
    else texts[name] = String(value);
  }
  return texts;
}
