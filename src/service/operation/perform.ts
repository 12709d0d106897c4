// The one way to an operation, whoever asks: it narrows the caller to the site, checks the level, finds out who performs it (here, or the gateway that owns
// the site), and records a refusal. What it is about and whether the caller may see that is decided by the operation.
import type { Readable } from "node:stream";
import { AppError, refuse } from "#core/app-error.ts";
import { LateAnswer } from "#service/operation/answer.ts";
import { type AskNeeds, askGateway, type Gateways } from "#service/operation/ask-gateway.ts";
import { compileBody, type ParseBody } from "#service/operation/body.ts";
import { ListAnswer, readList } from "#service/operation/list-answer.ts";
import { narrowCall, requireSomewhere } from "#service/operation/narrow-call.ts";
import type { AnyCall, CarriedChange, CarriedQuestion, Operation, Way } from "#service/operation/operation.ts";
import { parseQuery } from "#service/operation/query.ts";
import { type RecordNeeds, recordRefusal } from "#service/operation/record-refusal.ts";
import type { Schema } from "#service/operation/schema.ts";
import type { Call } from "#service/ports.ts";

export type PerformNeeds = AskNeeds & RecordNeeds;

/** What a caller that does not come over HTTP gives: plain JSON values. */
export interface Input {
  /** Names of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** As texts, as in a URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** By their names in small letters: an idempotency key, how long to wait. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Operations {
  /** All of them, with everything that performs them. Calls that came before wait until then. */
  open(operations: readonly Operation[], gateways: Gateways | undefined): void;
  /** For calls whose input is parsed already. */
  run(operation: Operation, call: AnyCall): Promise<object>;
  /** The messages of an operation that has some. */
  follow(operation: Operation, call: AnyCall): Promise<Readable>;
  /** For calls that do not come over HTTP. Checks the input like a call over HTTP, and refuses in the same words. */
  perform(call: Call, name: string, input: Input): Promise<object>;
  /** How a cloud has this operation carried out by the gateway of the site. Undefined: it does not. */
  carried(name: string): Promise<CarriedChange | undefined>;
  /** How a cloud asks the gateway of the site for this operation's answer. Undefined: it does not. */
  asked(name: string): Promise<CarriedQuestion | undefined>;
}

interface Opened {
  readonly byName: ReadonlyMap<string, Operation>;
  readonly gateways: Gateways | undefined;
}

const NEVER = new AbortController().signal;

/** A call that did not come over HTTP. */
const OTHER_WAY: Way = {
  header: () => undefined,
  headerPrefix: () => "X-Service",
  contentType: "application/json",
  host: () => undefined,
  isSecure: () => true,
  forwarded: () => false,
  signal: () => NEVER,
  stored: () => {},
};

export function createOperations(needs: PerformNeeds): Operations {
  const opened = Promise.withResolvers<Opened>();
  let gateways: Opened["gateways"];
  const parsers = new Map<string, ParseBody<unknown>>();

  function parserOf({ name, body }: Operation): ParseBody<unknown> | undefined {
    if (body === undefined || Array.isArray(body)) return undefined;
    const parse = parsers.get(name) ?? compileBody(body as Schema);
    parsers.set(name, parse);
    return parse;
  }

  /** Where the input comes in, only a caller that has the level nowhere is refused. This is the wall. */
  async function run(operation: Operation, given: AnyCall): Promise<object> {
    const call = await narrowCall(needs, operation, given);
    const asked = gateways && (await askGateway(needs, gateways, { operation, call }));
    return asked ?? (await operation.run(call));
  }

  async function performed(
    operation: Operation,
    call: Call,
    { params = {}, query = {}, body, headers = {} }: Input,
  ): Promise<object> {
    if (operation.level !== "public") requireSomewhere(call, operation.level);
    const parse = parserOf(operation);
    const answer = await run(operation, {
      ...OTHER_WAY,
      ...call,
      header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
      params: paramsOf(operation, params),
      query: parseQuery(operation.query ?? {}, query),
      body: parse === undefined ? body : parse(Buffer.from(JSON.stringify(body ?? {}))),
    } as AnyCall);
    return await plain(answer);
  }

  return {
    open(operations, asked) {
      gateways = asked;
      opened.resolve({ byName: new Map(operations.map((one) => [one.name, one])), gateways });
    },
    run,
    async follow(operation, call) {
      if (operation.live === undefined) throw new Error(`${operation.name} has no messages`);
      return await operation.live(await narrowCall(needs, operation, call));
    },
    async perform(call, name, input) {
      const operation = (await opened.promise).byName.get(name);
      if (operation === undefined || operation.ownPageOnly === true) {
        throw refuse("not_available", `there is no operation ${name.slice(0, 80)} to call this way`);
      }
      try {
        return await performed(operation, call, input);
      } catch (error) {
        // The audit entry of a call that may come twice is stored by whoever knows whether it did.
        if (error instanceof AppError && call.auditId === undefined) {
          await recordRefusal(needs, { ...call, operation: name, params: input.params ?? {} }, error);
        }
        throw error;
      }
    },
    async carried(name) {
      const atGateway = (await opened.promise).byName.get(name)?.atGateway;
      return atGateway?.by === "gateway" ? atGateway : undefined;
    },
    async asked(name) {
      const atGateway = (await opened.promise).byName.get(name)?.atGateway;
      return atGateway?.by === "question" ? atGateway : undefined;
    },
  };
}

/** The names of the path, each given once. */
function paramsOf({ name, path }: Operation, given: Readonly<Record<string, string>>): Record<string, string> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, param = ""]) => param);
  const unknown = Object.keys(given).find((param) => !names.includes(param));
  if (unknown !== undefined) throw refuse("invalid_request", `${name} has no parameter ${unknown.slice(0, 80)}`);
  return Object.fromEntries(
    names.map((param) => {
      const value = Object.hasOwn(given, param) ? given[param] : undefined;
      if (value === undefined || value === "") throw refuse("invalid_request", `${name} takes ${param}`);
      return [param, value];
    }),
  );
}

/** The JSON that HTTP would send. Answers that are not JSON stay as they are. */
async function plain(answer: object): Promise<object> {
  if (answer instanceof LateAnswer) return await answer.answer;
  if (answer instanceof ListAnswer) return await readList(answer);
  return answer;
}
