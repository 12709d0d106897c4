// Sessions of a port hub from another thread: calls and answers as messages. When the thread ends, so do its sessions.
import type { MessagePort } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import { ConnectionError, type ConnectionErrorCode } from "#drivers/connection-error.ts";
import type { PortAnswer, PortRequest, PortSession } from "./port/port-request.ts";
import type { PortDevice, PortHub } from "./port-hub.ts";

type Call =
  | { readonly do: "open"; readonly session: number; readonly device: PortDevice }
  | { readonly do: "close"; readonly session: number }
  | {
      readonly do: "call";
      readonly session: number;
      readonly id: number;
      readonly port: string;
      readonly request: PortRequest;
    };

type Reply =
  | { readonly id: number; readonly answer: PortAnswer }
  | { readonly id: number; readonly code: ConnectionErrorCode; readonly text: string };

/**
 * The hub's end. `onBug` receives faults that are not the script's. The returned function ends all sessions of that
 * thread.
 */
export function servePorts(hub: PortHub, channel: MessagePort, onBug: (error: unknown) => void): () => void {
  const sessions = new Map<number, PortSession>();
  const reply = (message: Reply) => {
    const error = tryPost(channel, message);
    if (error !== undefined) onBug(error);
    if (error !== undefined) tryPost(channel, { id: message.id, code: "closed", text: error.message } satisfies Reply);
  };
  const stop = () => {
    for (const session of sessions.values()) session.close();
    sessions.clear();
    channel.close();
  };
  channel.on("message", (call: Call) => {
    const session = sessions.get(call.session);
    if (call.do === "open") sessions.set(call.session, hub.session(call.device));
    else if (call.do === "close") {
      session?.close();
      sessions.delete(call.session);
    } else if (session !== undefined) {
      const { id } = call;
      session.call(call.port, call.request).then(
        (answer) => reply({ id, answer }),
        (error: unknown) => {
          if (error instanceof ConnectionError) return reply({ id, code: error.code, text: error.message });
          onBug(error);
          reply({ id, code: "closed", text: "the port failed; the log of the gateway says why" });
        },
      );
    }
  });
  channel.on("close", stop);
  channel.unref();
  return stop;
}

export interface RemotePorts {
  session(device: PortDevice): PortSession;
  close(): void;
}

/** The other thread's end. */
export function connectPorts(channel: MessagePort): RemotePorts {
  interface Waiting {
    readonly session: number;
    readonly done: (answer: PortAnswer) => void;
    readonly failed: (error: ConnectionError) => void;
  }
  const waiting = new Map<number, Waiting>();
  let lastCall = 0;
  let lastSession = 0;
  const post = (message: Call) => tryPost(channel, message);
  const end = (why: string, isMeant: (one: Waiting) => boolean) => {
    for (const [id, one] of waiting) {
      if (!isMeant(one)) continue;
      waiting.delete(id);
      one.failed(new ConnectionError("closed", why));
    }
  };
  channel.on("message", (reply: Reply) => {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ("code" in reply) one?.failed(new ConnectionError(reply.code, reply.text));
    else one?.done(reply.answer);
  });
  channel.on("close", () => end("the ports are closed", () => true));
  channel.unref();
  return {
    session(device) {
      lastSession++;
      const session = lastSession;
      let isClosed = false;
      post({ do: "open", session, device });
      return {
        call: (port, request) =>
          new Promise((done, failed) => {
            if (isClosed) return failed(new ConnectionError("closed", "the device has stopped"));
            lastCall++;
            waiting.set(lastCall, { session, done, failed });
            const error = post({ do: "call", session, id: lastCall, port, request });
            if (error === undefined) return;
            waiting.delete(lastCall);
            failed(new ConnectionError("closed", error.message));
          }),
        close() {
          if (isClosed) return;
          isClosed = true;
          post({ do: "close", session });
          end("the device has stopped", (one) => one.session === session);
        },
      };
    },
    close: () => channel.close(),
  };
}
