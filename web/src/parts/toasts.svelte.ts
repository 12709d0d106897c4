import { describeError } from "#web/data/describe-error.ts";
import { preferences } from "#web/data/preferences.svelte.ts";

export type Toast = {
  readonly id: number;
  readonly tone: "ok" | "warning" | "error" | "info";
  readonly text: string;
  /** Where more of it is to be seen. */
  readonly link?: { readonly href: string; readonly text: string } | undefined;
};

const SHOWN_FOR = 6_000;
let list = $state.raw<readonly Toast[]>([]);
let lastId = 0;

/** Short notes about what has just been done. What must not be missed belongs on the screen itself. */
export const toasts = {
  get list(): readonly Toast[] {
    return list;
  },
  add(tone: Toast["tone"], text: string, link?: Toast["link"]): void {
    lastId += 1;
    const id = lastId;
    list = [...list, { id, tone, text, link }].slice(-4);
    setTimeout(() => toasts.remove(id), SHOWN_FOR);
  },
  fail(error: unknown): void {
    toasts.add("error", describeError(error, preferences.locale));
  },
  /** Does something, and shows how it went: `done`, or what was wrong. The answer is whether it went well. */
  async attempt(done: string, task: () => Promise<unknown>): Promise<boolean> {
    try {
      await task();
    } catch (error) {
      toasts.fail(error);
      return false;
    }
    toasts.add("ok", done);
    return true;
  },
  remove(id: number): void {
    list = list.filter((toast) => toast.id !== id);
  },
};
