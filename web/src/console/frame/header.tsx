import { linkTo, mayLeave } from '../../shared/address';
import icon from '../../shared/icon.svg';
import { texts } from '../../shared/texts';
import { AccountMenu } from './account-menu';
import { change, Refusal, type Session, type User } from '../client';
import './header.css';
import { ofWebsite, ONLY } from '../only';
import { showToast } from './toast';

interface Props {
  session: Session;
  address: URLSearchParams;
  maySeeKeys: boolean;
  version: string;
  onChanged: (user: User) => void;
  onSignedOut: () => void;
}

export function Header({ session, address, maySeeKeys, version, onChanged, onSignedOut }: Props) {
  const signOut = () => {
    if (!mayLeave()) return;
    change(session, 'DELETE', 'session').then(onSignedOut, (error: unknown) => {
      if (error instanceof Refusal && error.status === 401) onSignedOut();
      else showToast(texts.console.account.stillIn);
    });
  };
  return (
    <header class="console-header">
      <a {...linkTo(ONLY)} class="brand" aria-label={texts.console.title}>
        <img src={icon} alt="" width="26" height="26" />
        <span>{texts.console.title}</span>
      </a>
      <Places address={address} maySeeKeys={maySeeKeys} />
      <AccountMenu {...{ session, maySeeKeys, version, onChanged }} onSignOut={signOut} />
    </header>
  );
}

type PlacesProps = Pick<Props, 'address' | 'maySeeKeys'>;

/** On a narrow screen they are in the account's menu alone. */
const OF_ACCOUNT = ['keys', 'webhooks'] as const;

/** The places that every page leads to. On pages of a website, its screens follow. */
function Places({ address, maySeeKeys }: PlacesProps) {
  const view = address.get('view');
  const isOfWebsite = address.has('website');
  return (
    <nav class="console-places" aria-label={texts.console.title}>
      <Place to={ONLY} name={texts.console.websites.title} isHere={!isOfWebsite && view === null} />
      {maySeeKeys &&
        OF_ACCOUNT.map((one) => (
          <Place
            key={one}
            kind="of-account"
            to={{ ...ONLY, view: one }}
            name={texts.console[one].title}
            isHere={!isOfWebsite && view === one}
          />
        ))}
      {isOfWebsite && (
        <span class="of-site">
          <Place to={ofWebsite(undefined)} name={texts.statistics} isHere={view === null} />
          <Place to={ofWebsite('options')} name={texts.console.options.title} isHere={view === 'options'} />
        </span>
      )}
    </nav>
  );
}

interface PlaceProps {
  to: Parameters<typeof linkTo>[0];
  name: string;
  isHere: boolean;
  kind?: string;
}

function Place({ to, name, isHere, kind }: PlaceProps) {
  return (
    <a {...linkTo(to)} class={kind} aria-current={isHere ? 'page' : undefined}>
      {name}
    </a>
  );
}
