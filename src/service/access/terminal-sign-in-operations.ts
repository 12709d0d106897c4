import {
  approvalSchema,
  newTerminalSignInSchema,
  parseApproval,
  pollAnswer,
  renderBegun,
  renderPoll,
  renderShown,
  shownAnswer,
  takenSchema,
  terminalSignInAnswer,
} from "#service/access/terminal-sign-in-wire.ts";
import type { TerminalSignIns } from "#service/access/terminal-sign-ins.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { NOTHING } from "#service/operation/wire.ts";

const tag = "Access";

export function terminalSignInOperations({ terminals }: { readonly terminals: TerminalSignIns }): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/terminal_sign_ins",
      name: "createTerminalSignIn",
      summary: "Ask to be let in by a person",
      description:
        "For programs in a terminal, in the shape of RFC 8628: show the code and the page to the person, and ask takeTerminalSignIn meanwhile.",
      tag,
      level: "public",
      body: newTerminalSignInSchema,
      answer: terminalSignInAnswer,
      run: async (call) => {
        const { program, level: askedLevel } = call.body;
        return renderBegun(await terminals.begin(call, { program, askedLevel }));
      },
    }),
    operation({
      method: "POST",
      path: "/v3/terminal_sign_ins/token",
      name: "takeTerminalSignIn",
      summary: "Whether a person has let the program in",
      description: "The token is in the first answer after the approval, and in no other.",
      tag,
      level: "public",
      body: takenSchema,
      answer: pollAnswer,
      run: async (call) => renderPoll(await terminals.poll(call, call.body.device_code)),
    }),
    operation({
      method: "GET",
      path: "/v3/terminal_sign_ins/:user_code",
      name: "getTerminalSignIn",
      summary: "What waits with a code",
      description: "For somebody who is signed in to the page.",
      tag,
      level: "readonly",
      answer: shownAnswer,
      run: async (call) => renderShown(await terminals.show(call, call.params.user_code)),
    }),
    operation({
      method: "POST",
      path: "/v3/terminal_sign_ins/:user_code/approve",
      name: "approveTerminalSignIn",
      summary: "Let a program in",
      description:
        "It gets a token of the person who is signed in, with at most the person's level and sites, and at most the level that it asked for.",
      tag,
      level: "readonly",
      body: approvalSchema,
      answer: NOTHING,
      run: async (call) => {
        await terminals.approve(call, call.params.user_code, parseApproval(call.body));
        return {};
      },
    }),
    operation({
      method: "POST",
      path: "/v3/terminal_sign_ins/:user_code/deny",
      name: "denyTerminalSignIn",
      summary: "Refuse a program",
      tag,
      level: "readonly",
      answer: NOTHING,
      run: async (call) => {
        await terminals.deny(call, call.params.user_code);
        return {};
      },
    }),
  ];
}
