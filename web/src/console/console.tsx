import { useCallback, useEffect, useState } from 'preact/hooks';
import { linkTo, useAddress } from '../shared/address';
import icon from '../shared/icon.svg';
import { texts } from '../shared/texts';
import { call, change, Refusal, type Session, type Surroundings } from './client';
import { Keys } from './keys';
import { NewWebsite } from './websites/new-website';
import { ONLY } from './only';
import { SignIn } from './sign-in';
import { WebsitePage } from './website/website';
import { Websites } from './websites/websites';

export function Console(surroundings: Surroundings) {
  const [session, setSession] = useState<Session | null>();
  const [complaint, setComplaint] = useState<string>();
  const ask = useCallback(() => {
    call<Session>('GET', 'session').then(setSession, (error: unknown) => {
      if (error instanceof Refusal && error.status === 401) setSession(null);
      else setComplaint(texts.failures.offline);
    });
  }, []);
  useEffect(ask, []);
  if (complaint !== undefined && !session)
    return (
      <div class="notice" role="alert">
        <p>{complaint}</p>
        <button class="primary" onClick={() => location.reload()}>
          {texts.reload}
        </button>
      </div>
    );
  if (session === undefined) return null;
  if (session === null) return <SignIn onSignedIn={ask} />;
  return <SignedIn session={session} surroundings={surroundings} onSignedOut={() => setSession(null)} />;
}

interface Props {
  session: Session;
  surroundings: Surroundings;
  onSignedOut: () => void;
}

function SignedIn({ session, surroundings, onSignedOut }: Props) {
  const address = useAddress();
  const view = address.get('view');
  const website = address.get('website');
  const signOut = () => void change(session, 'DELETE', 'session').finally(onSignedOut);
  const mayChange = session.key.scope === 'full';
  const current = (is: boolean) => (is ? 'page' : undefined);
  return (
    <>
      <header class="bar-top">
        <a {...linkTo(ONLY)} class="brand">
          <img src={icon} alt="" width="28" height="28" />
          {texts.console.title}
        </a>
        <nav aria-label={texts.console.title}>
          <a {...linkTo(ONLY)} aria-current={current(website === null && view === null)}>
            {texts.console.websites.title}
          </a>
          {mayChange && !session.key.websites && (
            <a {...linkTo({ ...ONLY, view: 'keys' })} aria-current={current(view === 'keys')}>
              {texts.console.keys.title}
            </a>
          )}
        </nav>
        <a class="quiet docs" href="docs">
          {texts.console.docs}
        </a>
        <span class="quiet account">{session.email}</span>
        <button class="plain" onClick={signOut}>
          {texts.console.signOut}
        </button>
      </header>
      <View {...{ session, surroundings, address, mayChange }} />
    </>
  );
}

interface ViewProps {
  session: Session;
  surroundings: Surroundings;
  address: URLSearchParams;
  mayChange: boolean;
}

function View({ session, surroundings, address, mayChange }: ViewProps) {
  const id = address.get('website');
  if (id !== null && /^\d{1,16}$/.test(id))
    return <WebsitePage key={id} id={id} {...{ session, surroundings, address, mayChange }} />;
  if (address.get('view') === 'keys' && mayChange) return <Keys session={session} address={address} />;
  if (address.get('view') === 'new' && mayChange) return <NewWebsite session={session} />;
  return <Websites {...{ session, address, mayChange }} />;
}
