// What somebody looked at last. The server keeps it as a view of their own with which Explore begins, so that another device
// opens the same.
import { ApiError } from "#client/errors.ts";
import { client } from "#web/data/client.ts";

type Head = { readonly id: string; readonly revision: number };

/** Whoever zooms and moves saves once. */
const SAVE_AFTER_MS = 3_000;

export class LastView {
  readonly #site: string;
  readonly #name: string;
  #head: Head | undefined;
  #saved: string | undefined;
  #wanted: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(site: string, name: string) {
    this.#site = site;
    this.#name = name;
  }

  /** The query with its question mark. Undefined when there is none, or it cannot be read now. */
  async read(): Promise<string | undefined> {
    try {
      const { own, shared } = await this.#find();
      const head = own ?? shared;
      if (head === undefined) return undefined;
      const { content } = (await client.views.get(this.#site, head.id)).view;
      if (!("query" in content) || content.query === "") return undefined;
      const query = `?${content.query}`;
      if (head === own) this.#saved = query;
      return query;
    } catch {
      return undefined;
    }
  }

  keep(query: string): void {
    this.#wanted = query;
    clearTimeout(this.#timer);
    if (query !== this.#saved) this.#timer = setTimeout(() => this.flush(), SAVE_AFTER_MS);
  }

  /** Saves at once what waits. It is a convenience: a failure is tried again with the next change. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#saving = this.#saving.then(async () => {
      const query = this.#wanted;
      if (query === undefined || query === this.#saved) return;
      try {
        await this.#save(query).catch(async (error: unknown) => {
          // Another device has saved meanwhile.
          if (!(error instanceof ApiError) || (error.code !== "conflict" && error.code !== "not_found")) throw error;
          this.#head = undefined;
          await this.#save(query);
        });
        this.#saved = query;
      } catch {
        this.#head = undefined;
      }
    });
  }

  async #save(query: string): Promise<void> {
    const content = { query: query.replace(/^\?/, "") };
    const head = this.#head ?? (await this.#find()).own;
    const { view } =
      head === undefined
        ? await client.views.create(this.#site, { kind: "explore", name: this.#name, content, is_start: true })
        : await client.views.update(this.#site, head.id, { revision: head.revision, content });
    this.#head = view;
  }

  async #find(): Promise<{ readonly own: Head | undefined; readonly shared: Head | undefined }> {
    const views = await Array.fromAsync(client.views.list.all(this.#site, { "kind.in": ["explore"] }));
    const starts = views.filter(({ is_start }) => is_start);
    this.#head = starts.find(({ is_shared }) => !is_shared);
    return { own: this.#head, shared: starts.find(({ is_shared }) => is_shared) };
  }
}
