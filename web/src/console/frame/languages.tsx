import type { TargetedEvent } from 'preact';
import { mayUnload } from '../../shared/address';
import { chooseLanguage, chosenLanguage, type Language, LANGUAGES } from '../../shared/language/language';
import { texts } from '../../shared/texts';
import { change, type Refusal, type Session, type User } from '../client';
import { showToast } from './toast';

const words = texts.console.account;

/** Each language in its own words. */
const OWN_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch' };

/** The language of the pages in this browser. */
export function Languages() {
  const chosen = chosenLanguage();
  const choose = ({ currentTarget: select }: TargetedEvent<HTMLSelectElement>) => {
    if (mayUnload()) chooseLanguage(LANGUAGES.find((known) => known === select.value));
    else select.value = chosen ?? '';
  };
  return (
    <label class="languages">
      <span class="quiet">{words.language}</span>
      <select onChange={choose} defaultValue={chosen ?? ''}>
        <option value="" selected={chosen === undefined}>
          {words.ofBrowser}
        </option>
        <Options chosen={chosen} />
      </select>
    </label>
  );
}

interface Props {
  session: Session;
  onChosen: (user: User) => void;
}

/** The language of mails, which belongs to the account. */
export function MailLanguage({ session, onChosen }: Props) {
  const { language: chosen } = session;
  const choose = ({ currentTarget: select }: TargetedEvent<HTMLSelectElement>) => {
    const language = select.value as Language;
    change<User>(session, 'PATCH', 'me', { language }).then(
      (user) => {
        onChosen(user);
        showToast(texts.console.options.saved);
      },
      (refusal: Refusal) => {
        select.value = chosen;
        showToast(refusal.message || texts.failures.offline);
      },
    );
  };
  return (
    <label class="languages">
      <span class="quiet">{words.mails}</span>
      <select onChange={choose} defaultValue={chosen}>
        <Options chosen={chosen} />
      </select>
    </label>
  );
}

function Options({ chosen }: { chosen: Language | undefined }) {
  return (
    <>
      {LANGUAGES.map((one) => (
        <option key={one} value={one} lang={one} selected={one === chosen}>
          {OWN_NAMES[one]}
        </option>
      ))}
    </>
  );
}
