// Unsaved manifests of this tab: they outlive a reload and a look at another screen.

const PREFIX = "busbar.draft.";

export type StoredDraft = { readonly manifest: string; readonly files: Readonly<Record<string, string>> | undefined };

/** `key` is what the draft began with: a blueprint, an entry of the catalogue, a kind of device. */
export function keepDraft(key: string, draft: StoredDraft): void {
  try {
    sessionStorage.setItem(PREFIX + key, JSON.stringify(draft));
  } catch {
    // The storage is full or forbidden; the text is still in the editor.
  }
}

export function readDraft(key: string): StoredDraft | undefined {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(PREFIX + key) ?? "null");
    return isDraft(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

export function dropDraft(key: string): void {
  try {
    sessionStorage.removeItem(PREFIX + key);
  } catch {
    // There is no storage, so there is no draft.
  }
}

function isDraft(value: unknown): value is StoredDraft {
  return typeof value === "object" && value !== null && "manifest" in value && typeof value.manifest === "string";
}
