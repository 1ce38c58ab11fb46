import type { TargetedEvent } from 'preact';
import { DroppedEvents } from '../../../shared/dropped';
import { later } from '../../../shared/later';
import { plusDays, todayIn } from '../../../shared/ranges';
import { texts } from '../../../shared/texts';
import { ListField, Switch } from './option-fields';
import { OwnVisits } from './own-visits';
import { SectionForm, type SectionProps } from './section-form';

const ExcludedVisits = later(async () => (await import('./exclusions/excluded-visits')).ExcludedVisits);
const words = texts.console.options;
const SHOWN_DAYS = 28;

/** What is not counted. */
export function Exclusions(props: SectionProps) {
  const { session, website, places, surroundings } = props;
  const today = todayIn(surroundings.timezone);
  return (
    <>
      <SectionForm {...props} title={words.sections.exclusions} fieldsIn={fieldsIn}>
        {(task) => (
          <>
            <Switch
              name="exclude_bots"
              {...words.exclude_bots}
              isOn={website.exclude_bots === 1}
              task={task}
            />
            <div class="pair">
              <ListField name="exclude_params" website={website} task={task} />
              <div>
                <ListField name="exclude_ips" website={website} task={task} />
                <OwnAddress address={session.address} excluded={website.exclude_ips ?? ''} />
              </div>
            </div>
          </>
        )}
      </SectionForm>
      <DroppedEvents
        url={places.dropped!}
        websiteId={website.id}
        span={{ from: plusDays(today, 1 - SHOWN_DAYS), to: today }}
        title={texts.dropped.lately}
      />
      <OwnVisits domain={website.domain} />
      <ExcludedVisits {...props} />
    </>
  );
}

interface OwnAddressProps {
  address: string;
  excluded: string;
}

/** Adds the reader's own address to the list above it, which is then saved with the section. */
function OwnAddress({ address, excluded }: OwnAddressProps) {
  if (excluded.split('\n').includes(address))
    return <p class="quiet hint own-address">{words.ownAddress.isExcluded(address)}</p>;
  const add = ({ currentTarget }: TargetedEvent<HTMLButtonElement>) => {
    const list = currentTarget.form!.elements.namedItem('exclude_ips') as HTMLTextAreaElement;
    const lines = list.value.split('\n').filter((line) => line.trim() !== '' && line.trim() !== address);
    list.value = [...lines, address].join('\n');
    list.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return (
    <button type="button" class="plain own-address" onClick={add}>
      {words.ownAddress.exclude(address)}
    </button>
  );
}

const fieldsIn = (form: FormData) => ({
  exclude_bots: form.has('exclude_bots') ? 1 : 0,
  exclude_params: form.get('exclude_params'),
  exclude_ips: form.get('exclude_ips'),
});
