/**
 * The records' SQL as PostgreSQL spells it. The records are written in the SQL that SQLite and PostgreSQL share, except
 * for placeholders and lists.
 */
export function toPostgres(sql: string): string {
  let count = 0;
  return (
    sql
      // A list is one bound JSON text. As an array it can be looked up in an index.
      .replaceAll(/\bNOT IN \(SELECT value FROM json_each\(\?\)\)/g, `<> ALL (${TEXTS})`)
      .replaceAll(/\bIN \(SELECT value FROM json_each\(\?\)\)/g, `= ANY (${TEXTS})`)
      .replaceAll(/\bIN \(SELECT CAST\(value AS INTEGER\) FROM json_each\(\?\)\)/g, `= ANY (${NUMBERS})`)
      .replaceAll(/\bjson_each\(([^)]+)\)(?: (?!WHERE\b)(\w+))?/g, (_, list: string, alias = "item") => {
        return `json_array_elements_text(${list}::json) AS ${alias}(value)`;
      })
      .replaceAll(/\bCAST\(([\w.]+) AS INTEGER\)/g, "CAST($1 AS bigint)")
      // A plus keeps SQLite from using a column's index.
      .replaceAll(/ \+(\w+_id)\b/g, " $1")
      .replaceAll("?", () => `$${++count}`)
  );
}

const TEXTS = "ARRAY(SELECT json_array_elements_text(?::json))";
const NUMBERS = "ARRAY(SELECT json_array_elements_text(?::json)::bigint)";

/**
 * The same with lists that are bound as arrays, and the places of their values: Citus finds the servers of the devices in an
 * array, and not in what a function makes of a text.
 */
export function withArrays(text: string): { readonly text: string; readonly lists: readonly number[] } {
  const lists: number[] = [];
  const bound = text.replaceAll(LIST, (_, place: string, number: string | undefined) => {
    lists.push(Number(place) - 1);
    return `(CAST($${place} AS ${number === undefined ? "text" : "bigint"}[]))`;
  });
  return { text: bound, lists };
}

const LIST = /\(ARRAY\(SELECT json_array_elements_text\(\$(\d+)::json\)(::bigint)?\)\)/g;
