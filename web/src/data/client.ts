import { createClient } from "#client/create-client.ts";
import { CONNECTION } from "./connection.ts";

/** The HTTP interface. Files that the first screen loads use `perform` of the connection instead. */
export const client = createClient(CONNECTION);
