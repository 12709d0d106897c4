// What can be done with several devices at once: only what all of them declare alike. Pure.
import type { Command, ConfigurationBucket, Input, Manifest } from "#web/data/manifest.ts";

type Fields = ReadonlyMap<string, Input>;

/** Commands that every device has, with the same arguments. */
export function sharedCommands(manifests: readonly Manifest[]): readonly Command[] {
  return shared(
    manifests,
    ({ commands }) => commands,
    (command) => command.arguments,
  );
}

/** Buckets that every device has, with the same parameters. */
export function sharedBuckets(manifests: readonly Manifest[]): readonly ConfigurationBucket[] {
  return shared(
    manifests,
    ({ configuration }) => configuration,
    (bucket) => bucket.parameters,
  );
}

function shared<Item extends { readonly id: string; readonly accessLevel: string }>(
  [first, ...others]: readonly Manifest[],
  itemsOf: (manifest: Manifest) => ReadonlyMap<string, Item>,
  fieldsOf: (item: Item) => Fields,
): readonly Item[] {
  if (first === undefined) return [];
  return [...itemsOf(first).values()].filter((item) =>
    others.every((manifest) => {
      const other = itemsOf(manifest).get(item.id);
      return (
        other !== undefined &&
        other.accessLevel === item.accessLevel &&
        shapeOf(fieldsOf(other)) === shapeOf(fieldsOf(item))
      );
    }),
  );
}

/** Names and texts may differ; what a value may be must not. */
function shapeOf(fields: Fields): string {
  const shapes = [...fields.values()].map((field) => [
    field.id,
    field.type,
    field.unit ?? null,
    field.required,
    field.sensitive,
    field.min ?? null,
    field.max ?? null,
    field.format ?? null,
    field.jsonSchema ?? null,
    (field.enum ?? []).map(({ value }) => value),
  ]);
  return JSON.stringify(shapes.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}
