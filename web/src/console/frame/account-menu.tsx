import type { ComponentChildren, RefObject, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { dayText } from '../../shared/format';
import { later } from '../../shared/later';
import { texts } from '../../shared/texts';
import './account-menu.css';
import type { Key, Session, User } from '../client';
import { ONLY } from '../only';
import { Languages, MailLanguage } from './languages';
import { chooseTheme, chosenTheme, type Theme, THEMES } from './theme';

const EmailDialog = later(async () => (await import('./email-dialog')).EmailDialog);
const words = texts.console.account;

interface Props {
  session: Session;
  maySeeKeys: boolean;
  version: string;
  onChanged: (user: User) => void;
  onSignOut: () => void;
}

/** Who is signed in, with which rights, and what belongs to this browser. */
export function AccountMenu({ session, maySeeKeys, version, onChanged, onSignOut }: Props) {
  const { email, key } = session;
  const [isOpen, setOpen] = useState(false);
  const [isChangingEmail, setChangingEmail] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useClosing(root, button, isOpen, () => setOpen(false));
  return (
    <div class="account" ref={root}>
      <button
        ref={button}
        class="avatar"
        aria-label={words.label(email)}
        aria-expanded={isOpen}
        aria-controls="account-menu"
        onClick={() => setOpen(!isOpen)}
      >
        {email.slice(0, 1).toUpperCase()}
      </button>
      {isOpen && (
        <div class="account-menu" id="account-menu">
          <Rights email={email} signedIn={key}>
            {maySeeKeys && (
              <button
                class="change-email"
                aria-label={words.changeEmail.title}
                onClick={() => (setOpen(false), setChangingEmail(true))}
              >
                {words.changeEmail.button}
              </button>
            )}
          </Rights>
          <Themes />
          <Languages />
          {maySeeKeys && <MailLanguage session={session} onChosen={onChanged} />}
          <nav aria-label={words.label(email)} onClick={() => setOpen(false)}>
            {maySeeKeys &&
              (['keys', 'webhooks'] as const).map((view) => (
                <a key={view} class="of-narrow-screen" {...linkTo({ ...ONLY, view })}>
                  {texts.console[view].title}
                </a>
              ))}
            <a href="docs/guide/">{words.guide}</a>
            <a href="docs">{words.docs}</a>
            <a href="docs/guide/changelog">{words.news(version)}</a>
            <button onClick={onSignOut}>{words.signOut}</button>
          </nav>
        </div>
      )}
      {isChangingEmail && (
        <EmailDialog
          session={session}
          onSaved={onChanged}
          onClosed={() => (setChangingEmail(false), button.current?.focus())}
        />
      )}
    </div>
  );
}

/** Escape, a click elsewhere, and leaving by the keyboard close the menu. */
function useClosing(
  root: RefObject<HTMLElement | null>,
  button: RefObject<HTMLElement | null>,
  isOpen: boolean,
  close: () => void,
): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const closeOutside = ({ target }: Event) => root.current!.contains(target as Node) || close();
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      close();
      button.current!.focus();
    };
    const leaving = new AbortController();
    addEventListener('pointerdown', closeOutside, leaving);
    addEventListener('focusin', closeOutside, leaving);
    addEventListener('keydown', closeByKey, leaving);
    return () => leaving.abort();
  }, [isOpen]);
}

function Rights({ email, signedIn, children }: RightsProps) {
  const { name, prefix, scope, websites, expires_at: end } = signedIn;
  return (
    <div class="rights">
      <p class="who-signed-in">
        {email} {children}
      </p>
      <p class="quiet">
        {words.key(name || `${prefix}…`)} {words.may[scope]} {websites && words.limited(websites.length)}{' '}
        {end && words.expires(dayText(end.slice(0, 10)))}
      </p>
    </div>
  );
}

interface RightsProps {
  email: string;
  signedIn: Key;
  /** What changes the address. */
  children: ComponentChildren;
}

function Themes() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    chooseTheme(currentTarget.value as Theme);
    setTheme(chosenTheme());
  };
  return (
    <fieldset class="themes">
      <legend class="quiet">{words.theme}</legend>
      {THEMES.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" value={one} checked={one === theme} onChange={choose} />
          {words.themes[one]}
        </label>
      ))}
    </fieldset>
  );
}
