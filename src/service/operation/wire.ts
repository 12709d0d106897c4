// Wire formats that all subjects share.

import { ACCESS_LEVELS, type AccessLevel } from "#core/access/level.ts";
import { ListAnswer } from "#service/operation/list-answer.ts";
import { type Fields, type Schema, Type } from "#service/operation/schema.ts";
import type { LongPage } from "#service/ports/page.ts";

/** Levels as the ecosystem's clients spell them in `authorized_role`. */
export const ROLES = ["READONLY", "USER", "OWNER", "INSTALLER", "VENDOR", "SYSTEM"] as const;

export type Role = (typeof ROLES)[number];

export function renderRole(level: AccessLevel): Role {
  return ROLES[ACCESS_LEVELS.indexOf(level)] ?? "READONLY";
}

export const oneOf = <const Words extends readonly string[]>(words: Words, options: object = {}) =>
  Type.Unsafe<Words[number]>({ type: "string", enum: [...words], ...options });

/** Text for people: no control characters, and not only blanks. */
export const name = (description: string, maxLength = 200) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: "^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$",
    description,
  });

export const id = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const timestamp = Type.String({ format: "date-time" });

export const nullable = <Value>(schema: Schema<Value>) =>
  Type.Unsafe<Value | null>({ anyOf: [schema, { type: "null" }] });

/** An object that refuses fields it does not list. Its title makes it a named schema of the OpenAPI document. */
export const strict = <Properties extends Fields>(title: string, properties: Properties) =>
  Type.Object(properties, { title, additionalProperties: false });

/** The same with a sentence about it. */
export const described = <Properties extends Fields>(title: string, description: string, properties: Properties) =>
  Type.Object(properties, { title, description, additionalProperties: false });

/** The answer of operations that have nothing to return. */
export const NOTHING = Type.Object({}, { additionalProperties: false });

export const listAnswer = (plural: string, item: Schema) =>
  Type.Object(
    {
      [plural]: Type.Array(item),
      total_count: Type.Integer({ minimum: 0, description: "How many match, on all pages." }),
    },
    { additionalProperties: false },
  );

export function renderPage<Item>(plural: string, page: LongPage<Item>, render: (item: Item) => object): ListAnswer {
  const { items, rest, total } = page;
  const renderJson = (item: Item) => JSON.stringify(render(item));
  return new ListAnswer(plural, total, {
    now: items.values().map(renderJson),
    rest: rest && mapLater(rest, renderJson),
  });
}

async function* mapLater<Item>(items: AsyncIterable<Item>, render: (item: Item) => string): AsyncGenerator<string> {
  for await (const item of items) yield render(item);
}
