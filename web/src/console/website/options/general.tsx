import { shownDomain } from '../../../../../engine/ground/shown-domain';
import { dayText } from '../../../shared/format';
import { texts } from '../../../shared/texts';
import { ListField, Switch } from './option-fields';
import { SectionForm, type SectionProps } from './section-form';

const words = texts.console.options;

/** What a website is, and the hosts that belong to it. */
export function General(props: SectionProps) {
  const { website, surroundings } = props;
  const facts = [
    [words.general.domain, domainText(website.domain)],
    [words.general.added, dayText(website.created_at.slice(0, 10))],
    [words.general.timezone, surroundings.timezone],
    [words.general.id, String(website.id)],
  ] as const;
  return (
    <>
      <dl class="card facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt class="quiet">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <SectionForm
        {...props}
        title={words.general.hosts}
        fieldsIn={(form) => ({ allowed_origins: form.get('allowed_origins') })}
      >
        {(task) => <ListField name="allowed_origins" website={website} task={task} />}
      </SectionForm>
      <SectionForm
        {...props}
        title={texts.names.title}
        fieldsIn={(form) => ({ titles: form.has('titles') ? 1 : 0 })}
      >
        {(task) => <Switch name="titles" {...words.titles} isOn={website.titles === 1} task={task} />}
      </SectionForm>
    </>
  );
}

/** Also as the API has it. */
function domainText(domain: string): string {
  const shown = shownDomain(domain);
  return shown === domain ? domain : `${shown} (${domain})`;
}
