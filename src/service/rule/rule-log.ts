// What rules say. Lines are stored together, each second, and whoever follows a log reads what is stored: so it does not matter
// which node runs the rule. Lines that could not be stored wait for the next second, as far as there is room, and the log says
// how many had none. If only the answer of the records is lost, lines are there twice.
import { Readable } from "node:stream";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { Shares } from "#core/share/shares.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Sessions } from "#service/access/sessions.ts";
import { callRefusal, openCallPlaces } from "#service/operation/call-places.ts";
import type { RuleLogLine } from "#service/ports/rule-store.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface RuleLogNeeds extends Pick<Needs, "rules" | "now"> {
  /** Resolves after the time, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly shares: Pick<Shares, "open">;
  readonly openSessions: Pick<Sessions, "isLive">;
}

export interface RuleLog {
  add(ruleId: string, severity: LogSeverity, message: string): void;
  /** Stores what waits. What cannot be stored goes on waiting. */
  flush(): Promise<void>;
  /** New lines as messages, until the call ends or the rule is gone. */
  follow(call: Following, lines: LogLines): Promise<Readable>;
}

/** Lines of a log, wherever it is. */
export interface LogLines {
  /** The number of the newest line. */
  readonly last: () => Promise<number>;
  /** As messages, oldest first; undefined when the rule is gone. */
  readonly after: (sequence: number) => Promise<readonly SentLine[] | undefined>;
  readonly lookMs: number;
}

export interface SentLine {
  readonly sequence: number;
}

export interface Following extends Pick<Call, "caller" | "remoteAddress"> {
  readonly signal: () => AbortSignal;
}

const LONGEST_MESSAGE = 4_096;
/** Of one rule: a rule says at most 20 lines a second for long. */
export const MOST_WAITING = 200;
/** Of all rules together. */
export const MOST_CHARACTERS_WAITING = 8_000_000;
/** More of them are read at once. */
export const LINES_AT_ONCE = 100;
const FOLLOWERS = { slots: 256, perToken: 32, perAddress: 64 };

export function createRuleLog(needs: RuleLogNeeds): RuleLog {
  const waiting = createWaitingLines();
  let lastFlush = Promise.resolve();
  const enter = openCallPlaces(needs.shares, { name: "rule_logs", refusal: callRefusal("logs of rules") }, FOLLOWERS);

  async function* linesOf(call: Following, { after, lookMs }: LogLines, from: number): AsyncGenerator<SentLine> {
    const signal = call.signal();
    for (let sequence = from; !signal.aborted; ) {
      const lines = await after(sequence);
      if (lines === undefined) return;
      yield* lines;
      sequence = lines.at(-1)?.sequence ?? sequence;
      if (lines.length < LINES_AT_ONCE) await needs.pause(lookMs, signal);
      if (!(await needs.openSessions.isLive(call.caller))) return;
    }
  }

  return {
    add: (ruleId, severity, message) =>
      waiting.add(ruleId, { at: needs.now(), severity, message: message.slice(0, LONGEST_MESSAGE) }),
    flush() {
      // One after the other: two would store the same lines.
      const flushed = lastFlush.then(() => waiting.store((lines) => needs.rules.appendLog(lines)));
      lastFlush = flushed.catch(() => {});
      return flushed;
    },
    async follow(call, log) {
      const leave = enter(call);
      try {
        const lines = linesOf(call, log, await log.last());
        const messages = async function* () {
          for await (const line of lines) yield Buffer.from(JSON.stringify(line));
        };
        // One message waits for the client; the others are in the store.
        const readable = Readable.from(messages(), { objectMode: true, highWaterMark: 1 });
        readable.once("close", leave);
        return readable;
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

interface Waiting {
  readonly lines: RuleLogLine[];
  /** Lines for which there was no room, and the time of the first. */
  missing: number;
  missingSince: Instant;
}

function createWaitingLines() {
  const waiting = new Map<string, Waiting>();
  let characters = 0;

  function add(ruleId: string, line: RuleLogLine): void {
    const one = waiting.get(ruleId) ?? { lines: [], missing: 0, missingSince: line.at };
    waiting.set(ruleId, one);
    if (one.lines.length < MOST_WAITING && characters + line.message.length <= MOST_CHARACTERS_WAITING) {
      characters += line.message.length;
      one.lines.push(line);
      return;
    }
    if (one.missing === 0) one.missingSince = line.at;
    one.missing += 1;
  }

  /** Lines leave when they are stored: until then they need their room. */
  async function store(append: (lines: ReadonlyMap<string, readonly RuleLogLine[]>) => Promise<void>): Promise<void> {
    if (waiting.size === 0) return;
    const sent = [...waiting].map(([ruleId, one]) => ({ ruleId, one, lines: [...one.lines], missing: one.missing }));
    await append(new Map(sent.map(({ ruleId, one, lines }) => [ruleId, [...lines, ...noteOf(one)]])));
    for (const { ruleId, one, lines, missing } of sent) {
      one.lines.splice(0, lines.length);
      for (const { message } of lines) characters -= message.length;
      one.missing -= missing;
      if (one.lines.length === 0 && one.missing === 0) waiting.delete(ruleId);
    }
  }

  return { add, store };
}

function noteOf({ missing, missingSince }: Waiting): readonly RuleLogLine[] {
  if (missing === 0) return [];
  const message = `${missing} ${missing === 1 ? "line is" : "lines are"} missing here: too many waited to be stored`;
  return [{ at: missingSince, severity: "warning", message }];
}
