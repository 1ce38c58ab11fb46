import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../shared/address';
import { later } from '../shared/later';
import { texts } from '../shared/texts';
import { forgetAnswers } from '../shared/use-answer';
import { call, Refusal, type Session, type Surroundings, type User } from './client';
import './console.css';
import { Header } from './frame/header';
import { SignIn } from './frame/sign-in';
import { Toasts } from './frame/toast';
import { NewWebsite } from './adding/new-website';
import { Websites } from './websites/websites';

/** The sign-in needs nothing of it; whoever is signed in gets it before a website is chosen. */
const loadWebsitePage = async () => (await import('./website/website')).WebsitePage;
const WebsitePage = later(loadWebsitePage);
const Keys = later(async () => (await import('./keys/keys')).Keys);
const Webhooks = later(async () => (await import('./webhooks/webhooks')).Webhooks);

export function Console(surroundings: Surroundings) {
  const [session, setSession] = useState<Session | null>();
  const [complaint, setComplaint] = useState<string>();
  const ask = useCallback(() => {
    call<Session>('GET', 'session').then(setSession, (error: unknown) => {
      if (error instanceof Refusal && error.status === 401) setSession(null);
      else setComplaint(texts.failures.offline);
    });
  }, []);
  const onSignedOut = () => {
    forgetAnswers();
    setSession(null);
  };
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
  if (session === null) return <SignIn command={surroundings.command} onSignedIn={ask} />;
  return (
    <SignedIn
      {...{ session, surroundings, onSignedOut }}
      onChanged={({ email, language }) => setSession({ ...session, email, language })}
    />
  );
}

interface Props {
  session: Session;
  surroundings: Surroundings;
  onChanged: (user: User) => void;
  onSignedOut: () => void;
}

function SignedIn({ session, surroundings, onChanged, onSignedOut }: Props) {
  const address = useAddress();
  const mayChange = session.key.scope === 'full';
  const maySeeKeys = mayChange && !session.key.websites;
  useEffect(() => void loadWebsitePage().catch(() => undefined), []);
  return (
    <>
      <Header {...{ session, address, maySeeKeys, onChanged, onSignedOut }} version={surroundings.version} />
      <View {...{ session, surroundings, address, mayChange, maySeeKeys }} />
      <Toasts />
    </>
  );
}

interface ViewProps {
  session: Session;
  surroundings: Surroundings;
  address: URLSearchParams;
  mayChange: boolean;
  maySeeKeys: boolean;
}

function View({ session, surroundings, address, mayChange, maySeeKeys }: ViewProps) {
  const id = address.get('website');
  const last = useRef<string | null>(null);
  const isSwitched = last.current !== null && last.current !== id;
  useEffect(() => void (last.current = id), [id]);
  if (id !== null && /^\d{1,16}$/.test(id))
    return <WebsitePage key={id} id={id} {...{ session, surroundings, address, mayChange, isSwitched }} />;
  if (maySeeKeys) {
    const view = address.get('view');
    if (view === 'keys') return <Keys session={session} address={address} />;
    if (view === 'webhooks') return <Webhooks {...{ session, address }} timezone={surroundings.timezone} />;
    if (view === 'new') return <NewWebsite session={session} />;
  }
  return <Websites {...{ session, address, mayChange }} />;
}
