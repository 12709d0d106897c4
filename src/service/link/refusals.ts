// Records of one connected gateway that this cloud does not take. They are stored for the operator of the cloud, and the
// gateway gets them for its own operator.
import { MAX_REFUSED, type RefusedRecord, refusedRecord } from "#core/link/refused-record.ts";
import type { Needs } from "#service/ports.ts";

interface RefusalNeeds extends Pick<Needs, "gateways" | "now"> {
  readonly log: { warn(about: object, text: string): void };
}

type RecordName = Pick<RefusedRecord, "kind" | "key">;

export interface Refusals {
  /** Reads what was refused before. True when a person has granted one of these sites to the gateway meanwhile. */
  open(): Promise<boolean>;
  /** Sites that were refused. */
  readonly sites: Set<string>;
  add(item: RecordName, reason: string): void;
  /** The record is fine. */
  taken(item: RecordName): void;
  /** Stores what is new. */
  store(): Promise<void>;
  all(): readonly RefusedRecord[];
  /** All of them if they have changed since they were sent last. */
  news(): { readonly refused?: readonly RefusedRecord[] };
}

export function createRefusals(needs: RefusalNeeds, gatewayId: string): Refusals {
  const known = new Map<string, RefusedRecord>();
  const sites = new Set<string>();
  let refused: RefusedRecord[] = [];
  let taken: RefusedRecord[] = [];
  let isSent = true;
  const nameOf = ({ kind, key }: RecordName) => {
    const short = refusedRecord(kind, key, "");
    return `${short.kind} ${short.key}`;
  };

  return {
    sites,
    async open() {
      for (const one of await needs.gateways.refusals(gatewayId)) {
        known.set(`${one.kind} ${one.key}`, refusedRecord(one.kind, one.key, one.reason));
        if (one.kind === "site") sites.add(one.key);
      }
      if (sites.size === 0) return false;
      return (await needs.gateways.grantedSites(gatewayId)).some((siteId) => sites.has(siteId));
    },
    add(item, reason) {
      const record = refusedRecord(item.kind, item.key, reason);
      const name = nameOf(item);
      if (known.get(name)?.reason === record.reason || (known.size >= MAX_REFUSED && !known.has(name))) return;
      needs.log.warn({ gatewayId, ...record }, "a record of a gateway is refused");
      known.set(name, record);
      refused.push(record);
      isSent = false;
    },
    taken(item) {
      const name = nameOf(item);
      const record = known.get(name);
      if (record === undefined) return;
      known.delete(name);
      taken.push(record);
      isSent = false;
    },
    async store() {
      if (refused.length + taken.length === 0) return;
      const noted = { refused, taken, at: needs.now() };
      [refused, taken] = [[], []];
      await needs.gateways.noteRefusals(gatewayId, noted);
    },
    all: () => [...known.values()],
    news() {
      if (isSent) return {};
      isSent = true;
      return { refused: [...known.values()] };
    },
  };
}
