import { text } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

const PORT = Number(process.argv[2] ?? 2525);

/** Prints the mails that it gets, for people who try reports and alerts without a mail server. */
const server = new SMTPServer({
  authOptional: true,
  disableReverseLookup: true,
  hideSTARTTLS: true,
  onData: (stream, session, answer) => {
    text(stream)
      .then((raw) => PostalMime.parse(raw))
      .then((mail) => print(mail, session.envelope.rcptTo))
      .then(() => answer(), answer);
  },
});
server.on('error', ({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
server.listen(PORT, '127.0.0.1', () => {
  const { port } = server.server.address();
  console.log(`Mails to smtp://127.0.0.1:${port} are printed here.`);
});

function print({ from, subject, text }, recipients) {
  const to = recipients.map(({ address }) => address).join(', ');
  console.log(`\nFrom: ${from.address}\nTo: ${to}\nSubject: ${subject}\n\n${text}`);
}
