// Sends the cloud what has changed in the records, in their order, and notes what it has confirmed.
import type { DownMessage, LinkedItem, UpMessage } from "#core/link/messages.ts";
import { takesControls, takesInterlocks, takesNotifications, takesRules, takesTariffs } from "#core/link/protocol.ts";
import {
  mustWait,
  NOTHING_SENT,
  sendAfter,
  takenByCloud,
  withAck,
  withNoted,
  withSent,
  withSentTo,
  withWhole,
} from "#core/link/sent-changes.ts";
import { createWake } from "#service/link/create-wake.ts";
import type { Line } from "#service/link/line.ts";
import { fitting, inPieces } from "#service/link/link-pieces.ts";
import { type ReadLinkedNeeds, readEverythingLinked, readLinkedChanges } from "#service/link/read-linked.ts";
import type { TelemetryLane } from "#service/link/telemetry-lane.ts";
import type { Needs } from "#service/ports.ts";

export interface UploadRecordsNeeds extends ReadLinkedNeeds, Pick<Needs, "uplinks" | "now"> {
  readonly telemetryLane: TelemetryLane;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: { warn(about: object, text: string): void };
}

interface Listeners {
  /** Called when the cloud has stored everything up to this number. */
  onTaken(number: number): void;
  /** Called when the cloud has been sent something of the execution. */
  onExecution(id: string): void;
}

type Welcome = Extract<DownMessage, { type: "welcome" }>;

/** What clouds of earlier versions of the link do not take, and since which version they do. */
const LATER_KINDS: ReadonlyMap<LinkedItem["kind"], (protocol: string) => boolean> = new Map([
  ["tariff", takesTariffs],
  ["prices", takesTariffs],
  ["controls", takesControls],
  ["control_record", takesControls],
  ["interlock", takesInterlocks],
  ["rule_engine", takesRules],
  ["rule", takesRules],
  ["rule_report", takesRules],
  ["variable", takesRules],
  ["notification", takesNotifications],
]);

/** Changes without an event are noticed after this time. */
const LOOK_AGAIN_MS = 500;

export interface RecordUpload {
  /** Goes on until the end of the line. Calls `onComplete` once, when the cloud has been sent everything. */
  run(welcome: Pick<Welcome, "taken" | "epoch" | "protocol">, onComplete: () => void): Promise<void>;
  /** Something may have changed. */
  wake(): void;
  confirmed(to: number): void;
  /** After the end of the line. */
  end(): void;
}

async function* only(
  items: AsyncIterable<LinkedItem>,
  isTaken: (item: LinkedItem) => boolean,
): AsyncIterable<LinkedItem> {
  for await (const item of items) if (isTaken(item)) yield item;
}

export function uploadRecords(needs: UploadRecordsNeeds, line: Line, listeners: Listeners): RecordUpload {
  const awake = createWake();
  const confirmed = createWake();
  let sentChanges = NOTHING_SENT;
  let isTaken: (item: LinkedItem) => boolean = () => true;

  function reportTaken(): void {
    const taken = takenByCloud(sentChanges);
    if (taken > 0) listeners.onTaken(taken);
  }

  function noteConfirmed(number: number | undefined): void {
    if (number !== undefined) line.start(needs.uplinks.confirm(number));
  }

  async function send(message: Extract<UpMessage, { type: "records" }>): Promise<void> {
    while (mustWait(sentChanges) && !line.signal.aborted) await confirmed.next();
    sentChanges = withSent(sentChanges);
    await line.send(message);
  }

  async function sendEverything(epoch: string): Promise<number> {
    const to = await needs.uplinks.latest();
    // A cloud that knows nothing of these records has none of their telemetry.
    await needs.telemetryLane.uploadAgain();
    for await (const items of inPieces(fitting(needs.log, only(readEverythingLinked(needs, to), isTaken)))) {
      await send({ type: "records", to: 0, isWhole: true, isLast: false, items });
    }
    sentChanges = withWhole(sentChanges, { to, epoch });
    await send({ type: "records", to, isWhole: true, isLast: true, items: [] });
    return to;
  }

  /** Also sent when there are none: the cloud learns up to which number it has everything. */
  async function sendItems(
    items: readonly LinkedItem[],
    { from, to, isLast }: { readonly from: number; readonly to: number; readonly isLast: boolean },
  ): Promise<void> {
    let pieces: LinkedItem[][] = [];
    for await (const piece of inPieces(fitting(needs.log, items.filter(isTaken)))) pieces.push(piece);
    if (pieces.length === 0) pieces = [[]];
    for (const [place, piece] of pieces.entries()) {
      const isEnd = place === pieces.length - 1;
      await send({ type: "records", to: isEnd ? to : from, isWhole: false, isLast: isEnd && isLast, items: piece });
      for (const { kind, key } of piece) if (kind === "execution") listeners.onExecution(key);
    }
  }

  return {
    async run(welcome, onComplete) {
      const { confirmed: atLeast = 0, cloudEpoch } = (await needs.uplinks.get()) ?? {};
      const { protocol, epoch } = welcome;
      isTaken = ({ kind }) => LATER_KINDS.get(kind)?.(protocol) ?? true;
      // An earlier version of this cloud, or of this gateway, has left them out.
      if (takesTariffs(protocol)) await needs.uplinks.noteTariffs(epoch);
      if (takesControls(protocol)) await needs.uplinks.noteControls(epoch);
      if (takesInterlocks(protocol)) await needs.uplinks.noteInterlocks(epoch);
      if (takesRules(protocol)) await needs.uplinks.noteRules(epoch);
      const own = { confirmed: atLeast, cloudEpoch, latest: await needs.uplinks.latest() };
      const taken = sendAfter(welcome, own);
      let at = taken ?? (await sendEverything(welcome.epoch));
      let isComplete = false;
      for (let isFirst = taken !== null; !line.signal.aborted; isFirst = false) {
        const { items, to, isLast } = await readLinkedChanges(needs, at);
        if (items.length > 0 || isFirst) await sendItems(items, { from: at, to, isLast });
        at = to;
        sentChanges = withSentTo(sentChanges, to);
        reportTaken();
        if (isLast && !isComplete) onComplete();
        isComplete ||= isLast;
        if (isLast) await awake.next((over) => needs.pause(LOOK_AGAIN_MS, over));
      }
    },
    wake: awake.call,
    confirmed(to) {
      const { sent, completed, note } = withAck(sentChanges, to, needs.now());
      sentChanges = sent;
      confirmed.call();
      reportTaken();
      if (completed !== undefined) line.start(needs.uplinks.noteCloud(completed));
      noteConfirmed(note);
    },
    end() {
      // A gateway that starts without the line knows by it what is left to send.
      noteConfirmed(withNoted(sentChanges).note);
      awake.call();
      confirmed.call();
    },
  };
}
