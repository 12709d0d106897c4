// Telemetry of many senders: each one's messages are expected to look like its last one. One that does not is read by `messages.ts`.
import type { ValuesMessage } from "#core/device/device-message.ts";
import { type Parsed, parseTimestamp, parseValues } from "./messages.ts";
import { type Layout, QuickValues } from "./quick-values.ts";

/** Senders with equal devices share one. Beyond this number all are forgotten. */
const MAX_LAYOUTS = 256;
/** A sender whose messages differ from each other is looked at again after so many of them. */
const LONGEST_PAUSE = 1_023;

interface Sender {
  layout: Layout | undefined;
  /** Messages until a layout is looked for again. It doubles as long as no message has the layout of the one before. */
  wait: number;
  pause: number;
}

/** A sender is any object that lives as long as its messages come. */
export function createValuesReader(): (of: object, payload: Buffer) => Parsed<ValuesMessage> {
  const quick = new QuickValues();
  const layouts = new Map<string, Layout>();
  let senders = new WeakMap<object, Sender>();

  function shared(layout: Layout | undefined): Layout | undefined {
    if (layout === undefined) return undefined;
    const key = layout.names.join('"');
    const known = layouts.get(key);
    if (known !== undefined) return known;
    if (layouts.size === MAX_LAYOUTS) {
      layouts.clear();
      senders = new WeakMap();
    }
    layouts.set(key, layout);
    return layout;
  }

  function learn(of: object, sender: Sender, payload: Buffer): void {
    if (sender.wait > 0) sender.wait--;
    else {
      sender.layout = shared(quick.layoutOf(payload));
      sender.wait = sender.pause;
      sender.pause = Math.min(sender.pause * 2 + 1, LONGEST_PAUSE);
      senders.set(of, sender);
    }
  }

  return (of, payload) => {
    const sender = senders.get(of) ?? { layout: undefined, wait: 0, pause: 0 };
    const { layout } = sender;
    const found = layout && quick.read(payload, layout);
    if (found === undefined) {
      learn(of, sender, payload);
      return parseValues(payload);
    }
    sender.wait = 0;
    sender.pause = 0;
    const problems: string[] = [];
    const takenAt = parseTimestamp(found.timestamp, problems);
    return problems.length > 0 ? { problems } : { message: { takenAt, values: found.members } };
  };
}
