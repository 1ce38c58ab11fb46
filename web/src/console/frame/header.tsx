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

const OF_ACCOUNT = ['keys', 'webhooks'] as const;

/** On a page of a website, its screens stand in the place of the keys and webhooks. */
function Places({ address, maySeeKeys }: PlacesProps) {
  const view = address.get('view');
  const website = address.get('website') ?? undefined;
  const places = [
    { name: texts.console.websites.title, to: ONLY, isHere: website === undefined && view === null },
    ...(website === undefined
      ? maySeeKeys
        ? OF_ACCOUNT.map((one) => ({
            name: texts.console[one].title,
            to: { ...ONLY, view: one },
            isHere: view === one,
          }))
        : []
      : [
          { name: texts.statistics, to: ofWebsite(undefined), isHere: view === null },
          { name: texts.console.options.title, to: ofWebsite('options'), isHere: view === 'options' },
        ]),
  ];
  return (
    <nav class="console-places" aria-label={texts.console.title}>
      {places.map(({ name, to, isHere }) => (
        <a key={name} {...linkTo(to)} aria-current={isHere ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
