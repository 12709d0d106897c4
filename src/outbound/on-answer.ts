import type { ClientRequest, IncomingMessage } from "node:http";

/**
 * Also for a server that switches to another protocol, which nobody has asked it to: Node would close the connection then and emit
 * neither an answer nor an error, and nothing would end the wait.
 */
export function onAnswer(sent: ClientRequest, answered: (answer: IncomingMessage) => void): void {
  sent.on("response", answered);
  sent.on("upgrade", (answer, socket) => {
    socket.destroy();
    answered(answer);
    answer.destroy();
  });
}
