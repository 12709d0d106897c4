import type { Command } from "commander";
import type { Client } from "#client/create-client.ts";
import type { Page, Window } from "#client/page.ts";
import type { Cli } from "./cli.ts";
import { addWindowOptions, clientCommand, type WindowFlags } from "./client-command.ts";
import { fetchList } from "./fetch-list.ts";
import { printTable } from "./print.ts";
import { type ClientFlags, openSession } from "./session.ts";
import type { Columns } from "./table.ts";

interface Listed<Key extends string, Item> {
  readonly about: string;
  /** Under which the items are in an answer. */
  readonly key: Key;
  readonly fetchPage: (client: Client, window: Window) => Promise<Page<Key, Item>>;
  readonly columns: Columns<Item>;
}

/** The command `list` of everything of one kind. */
export function addListCommand<Key extends string, Item>(
  parent: Command,
  cli: Cli,
  { about, key, fetchPage, columns }: Listed<Key, Item>,
): void {
  addWindowOptions(clientCommand(parent, "list", about)).action(async (flags: ClientFlags & WindowFlags) => {
    const { client, wait } = await openSession(cli, flags);
    const list = await wait(fetchList(key, (window) => fetchPage(client, window), flags));
    await printTable(cli, flags, { ...list, columns });
  });
}
