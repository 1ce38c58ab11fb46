import { useState } from 'preact/hooks';
import { texts } from '../../../shared/texts';
import type { Website } from '../../client';
import { Copied } from '../../forms/copied';
import { Field } from '../../forms/field';
import type { Task } from '../../forms/use-task';
import { Switch } from './option-fields';
import { SectionForm, type SectionProps } from './section-form';

const words = texts.console.options;
const PRIVACIES = [1, 0, 2] as const;
type Privacy = Website['privacy'];
const [PUBLIC, PRIVATE, WITH_PASSWORD] = [0, 1, 2] as const;

/** Who may see the statistics, and what to give them. */
export function Sharing(props: SectionProps) {
  const { website, surroundings } = props;
  const [privacy, setPrivacy] = useState<Privacy>(website.privacy);
  return (
    <>
      <SectionForm {...props} title={words.privacy.label} fieldsIn={fieldsIn}>
        {(task) => (
          <>
            <PrivacyChoice privacy={privacy} onChange={setPrivacy} />
            {privacy === WITH_PASSWORD && <PasswordField website={website} task={task} />}
            {privacy !== WITH_PASSWORD && website.has_password && (
              <Switch name="forget" label={words.password.forget} isOn={false} />
            )}
            {privacy !== PRIVATE && <p class="quiet">{words.sharing.daysOver}</p>}
            {privacy !== PRIVATE && (
              <Switch
                name="share_filters"
                {...words.share_filters}
                isOn={website.share_filters === 1}
                task={task}
              />
            )}
          </>
        )}
      </SectionForm>
      {website.privacy !== PRIVATE && <Links website={website} base={surroundings.base} />}
    </>
  );
}

/** Fields that do not apply are not sent. An empty password keeps the stored one. */
function fieldsIn(form: FormData): object {
  const privacy = Number(form.get('privacy'));
  const password = form.get('password');
  return {
    privacy,
    ...(privacy !== PRIVATE && { share_filters: form.has('share_filters') ? 1 : 0 }),
    ...(password ? { password } : form.has('forget') && { password: '' }),
  };
}

interface ChoiceProps {
  privacy: Privacy;
  onChange: (privacy: Privacy) => void;
}

function PrivacyChoice({ privacy, onChange }: ChoiceProps) {
  return (
    <div class="choice-cards" role="radiogroup" aria-label={words.privacy.label}>
      {PRIVACIES.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="privacy"
            value={one}
            checked={one === privacy}
            aria-labelledby={`privacy-${one}`}
            aria-describedby={`privacy-${one}-text`}
            onChange={() => onChange(one)}
          />
          <b id={`privacy-${one}`}>{words.privacy[one].name}</b>
          <span class="quiet" id={`privacy-${one}-text`}>
            {words.privacy[one].text}
          </span>
        </label>
      ))}
    </div>
  );
}

function PasswordField({ website, task }: { website: Website; task: Task }) {
  const { label, stored, hint } = words.password;
  return (
    <Field name="password" label={label} hint={website.has_password ? stored : hint} task={task}>
      {(attributes) => (
        <input
          {...attributes}
          type="password"
          autocomplete="new-password"
          maxLength={512}
          required={!website.has_password}
        />
      )}
    </Field>
  );
}

function Links({ website: { domain, privacy }, base }: { website: Website; base: string }) {
  const link = `${base}/share/${encodeURIComponent(domain)}`;
  const { link: title, embed, embedText, frame } = words.sharing;
  return (
    <section class="card section">
      <h2>{title}</h2>
      <Copied text={link} label={words.sharing.copy} href={`share/${encodeURIComponent(domain)}`} />
      {privacy === PUBLIC && (
        <>
          <h3>{embed}</h3>
          <p class="quiet">{embedText}</p>
          <Copied
            text={`<iframe src="${link}?embed" title="${frame}" width="100%" height="1500"></iframe>`}
          />
        </>
      )}
    </section>
  );
}
