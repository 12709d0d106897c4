// Bulk commands in memory, for tests that kill whoever runs them.
import { refuse } from "#core/app-error.ts";
import {
  type BulkCommand,
  type BulkMember,
  MAX_BULKS,
  MAX_BULKS_OF_TOKEN,
  noMembers,
} from "#core/bulk/bulk-command.ts";
import type { BulkStore, NewBulk } from "#service/ports/bulk-store.ts";

interface Kept extends Omit<NewBulk, "bulk" | "members"> {
  bulk: BulkCommand;
  members: readonly BulkMember[];
}

export function createMemoryBulks(): BulkStore {
  const kept = new Map<string, Kept>();
  const membersOf = (id: string) => kept.get(id)?.members ?? [];
  return {
    async insert(input) {
      const { tokenId } = input.bulk.createdBy;
      const isSame = (one: Kept) =>
        one.bulk.createdBy.tokenId === tokenId && one.idempotency?.key === input.idempotency?.key;
      const earlier = input.idempotency && [...kept.values()].find(isSame);
      if (earlier !== undefined) {
        const digest = earlier.idempotency?.digest ?? new Uint8Array();
        if (Buffer.from(digest).equals(input.idempotency?.digest ?? new Uint8Array())) return earlier.bulk;
        throw refuse("idempotency_conflict", "used");
      }
      const open = [...kept.values()].filter(({ bulk }) => bulk.endedAt === undefined);
      const own = open.filter(({ bulk }) => bulk.createdBy.tokenId === tokenId);
      if (own.length >= MAX_BULKS_OF_TOKEN || open.length >= MAX_BULKS) throw refuse("queue_full", "full");
      kept.set(input.bulk.id, { ...input });
      return input.bulk;
    },
    find: async (id) => kept.get(id)?.bulk,
    sealed: async (id) => {
      const sealed = kept.get(id)?.sealed;
      return sealed?.byteLength === 0 ? undefined : sealed;
    },
    async list(tokenId, { limit, offset }) {
      const found = [...kept.values()]
        .map(({ bulk }) => bulk)
        .filter(({ createdBy }) => tokenId === undefined || createdBy.tokenId === tokenId)
        .sort((a, b) => (a.id < b.id ? 1 : -1));
      return { items: found.slice(offset, offset + limit), total: found.length };
    },
    open: async () => [...kept.values()].map(({ bulk }) => bulk).filter(({ endedAt }) => endedAt === undefined),
    async members(id, { states }, { limit, offset }) {
      const found = membersOf(id).filter(({ state }) => states?.includes(state) ?? true);
      return { items: found.slice(offset, offset + limit), total: found.length };
    },
    async counts(id) {
      const counts = noMembers();
      for (const { state } of membersOf(id)) counts[state]++;
      return counts;
    },
    async lastBegunAt(id) {
      const times = membersOf(id).flatMap(({ begunAt }) => begunAt ?? []);
      return times.toSorted((a, b) => b - a)[0];
    },
    async putMembers(id, changes) {
      const one = kept.get(id);
      if (one === undefined) return [];
      const changed: BulkMember[] = [];
      for (const { from, to } of changes) {
        if (from === "WAITING" && one.bulk.state !== "RUNNING") continue;
        if (one.members[to.place]?.state !== from) continue;
        one.members = one.members.with(to.place, to);
        changed.push(to);
      }
      return changed;
    },
    async turn(id, { to, reason }) {
      const one = kept.get(id);
      if (one?.bulk.state !== "RUNNING") return undefined;
      one.bulk = { ...one.bulk, state: to, reason };
      one.members = one.members.map((member) =>
        member.state === "WAITING" ? { ...member, state: "SKIPPED" } : member,
      );
      return one.bulk;
    },
    async end(id, at) {
      const one = kept.get(id);
      if (one === undefined || one.bulk.state === "RUNNING" || one.bulk.endedAt !== undefined) return;
      kept.set(id, { ...one, bulk: { ...one.bulk, endedAt: at }, sealed: new Uint8Array() });
    },
    async prune(before) {
      const old = [...kept.values()].filter(({ bulk }) => (bulk.endedAt ?? before) < before);
      for (const { bulk } of old) kept.delete(bulk.id);
      return old.length;
    },
  };
}
