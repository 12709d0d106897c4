// What rules say. Lines are stored together, each second, and whoever follows a log reads what is stored: so it does not matter
// which node runs the rule.
import { Readable } from "node:stream";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { Shares } from "#core/share/shares.ts";
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
  /** Stores what was said since the last time. */
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
/** Of one rule between two flushes: a rule says at most 20 lines a second for long. */
const MOST_WAITING = 200;
/** More of them are read at once. */
export const LINES_AT_ONCE = 100;
const FOLLOWERS = { slots: 256, perToken: 32, perAddress: 64 };

export function createRuleLog(needs: RuleLogNeeds): RuleLog {
  let waiting = new Map<string, RuleLogLine[]>();
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
    add(ruleId, severity, message) {
      const lines = waiting.get(ruleId) ?? [];
      waiting.set(ruleId, lines);
      if (lines.length < MOST_WAITING)
        lines.push({ at: needs.now(), severity, message: message.slice(0, LONGEST_MESSAGE) });
    },
    async flush() {
      if (waiting.size === 0) return;
      const lines = waiting;
      waiting = new Map();
      await needs.rules.appendLog(lines);
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
