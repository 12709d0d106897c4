import type { Condition } from "#core/rule/rule.ts";
import * as r from "#manifest/reader.ts";
import type { Trail } from "#manifest/tree.ts";
import type { RuleContext } from "./rule-context.ts";

/** An object with these fields that `make` turns into a condition. */
export function form<const F extends r.Fields>(
  what: string,
  fields: F,
  make: (given: r.ReadFields<F>, context: RuleContext, trail: Trail) => Condition | undefined,
): r.Reader<Condition> {
  const read = r.object(what, fields);
  return r.reader(read.schema, (context: RuleContext, trail) => {
    const given = read.read(context, trail);
    return given && make(given, context, trail);
  });
}
