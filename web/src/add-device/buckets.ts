// The configuration of a device that is not there yet: a form for each bucket of the manifest. Pure.
import { ApiError } from "#client/errors.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import type { ConfigurationBucket, Manifest } from "#web/data/manifest.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { type Draft, draftOf, type Problems, readDraft } from "#web/forms/draft.ts";
import { type FormField, formFields } from "#web/forms/form-field.ts";

export type BucketFields = { readonly bucket: ConfigurationBucket; readonly fields: readonly FormField[] };
/** By bucket. */
export type Drafts = Readonly<Record<string, Draft>>;
export type BucketProblems = ReadonlyMap<string, Problems>;
type Values = Readonly<Record<string, unknown>>;

/** The buckets that a level may fill in, and those that it may not. */
export function bucketsOf(
  manifest: Manifest,
  level: AccessLevel,
): { readonly open: readonly BucketFields[]; readonly closed: readonly ConfigurationBucket[] } {
  const all = [...manifest.configuration.values()];
  return {
    open: all
      .filter(({ accessLevel }) => allows(level, accessLevel))
      .map((bucket) => ({ bucket, fields: formFields(bucket.parameters, manifest.units) })),
    closed: all.filter(({ accessLevel }) => !allows(level, accessLevel)),
  };
}

export function firstDrafts(buckets: readonly BucketFields[], locale: Locale): Drafts {
  return Object.fromEntries(buckets.map(({ bucket, fields }) => [bucket.id, draftOf(fields, {}, locale)]));
}

/** What is sent, and everything that is wrong with it. A bucket that nobody has touched is not sent: its defaults hold. */
export function readBuckets(
  buckets: readonly BucketFields[],
  drafts: Drafts,
  locale: Locale,
): { readonly values: Readonly<Record<string, Values>>; readonly problems: BucketProblems } {
  const values: Record<string, Values> = {};
  const problems = new Map<string, Problems>();
  const untouched = firstDrafts(buckets, locale);
  for (const { bucket, fields } of buckets) {
    const draft = drafts[bucket.id] ?? untouched[bucket.id] ?? {};
    const read = readDraft(fields, draft, { locale });
    if (JSON.stringify(draft) !== JSON.stringify(untouched[bucket.id])) values[bucket.id] = read.values;
    if (read.problems.size > 0) problems.set(bucket.id, read.problems);
  }
  return { values, problems };
}

/** What a refusal says about single fields: it names them as `/bucket/parameter`. Undefined when it says something else, too. */
export function bucketProblemsOf(error: unknown, buckets: readonly BucketFields[]): BucketProblems | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const problems = new Map<string, Map<string, string>>();
  for (const { message, details } of error.errors) {
    const [, bucketId = "", name = ""] = String(details?.["pointer"] ?? "").split("/");
    const found = buckets.find(({ bucket }) => bucket.id === bucketId);
    if (found === undefined || !found.fields.some(({ id }) => id === name)) return undefined;
    const ofBucket = problems.get(bucketId) ?? new Map<string, string>();
    problems.set(bucketId, ofBucket.set(name, message));
  }
  return problems;
}
