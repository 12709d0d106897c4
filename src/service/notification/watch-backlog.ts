// Messages that wait for long: something is wrong with the way to people, and nobody would hear of it by that way.
import type { ChannelTarget } from "#core/notification/channel.ts";
import type { Needs } from "#service/ports.ts";
import type { Troubles } from "#service/troubles.ts";

type Kind = ChannelTarget["kind"];
export interface BacklogNeeds extends Pick<Needs, "messages" | "now"> {
  readonly troubles: Pick<Troubles, "report" | "clear">;
}

const PART = "notifications";
/** Messages go out at once, so whatever waits for so long has failed several times. */
export const LONG_WAIT_MS = 15 * 60_000;

/** To be called now and then. A trouble is reported once, and ends when nothing of its kind waits for long. Public: no names. */
export function createBacklogWatch(needs: BacklogNeeds): () => Promise<void> {
  const late = new Set<Kind>();
  const messageOf = (kind: Kind) =>
    `messages by ${kind} wait for more than 15 minutes; the messages of the sites say why`;
  return async () => {
    const now = needs.now();
    const found = new Set(
      (await needs.messages.backlog()).filter(({ oldestAt }) => now - oldestAt > LONG_WAIT_MS).map(({ kind }) => kind),
    );
    for (const kind of late) {
      if (found.has(kind)) continue;
      late.delete(kind);
      needs.troubles.clear(PART, messageOf(kind));
    }
    for (const kind of found) {
      if (late.has(kind)) continue;
      late.add(kind);
      needs.troubles.report({ part: PART, message: messageOf(kind) });
    }
  };
}
