// The filters of the list of messages, kept in the address.
import { channelLabels } from '../../parts/channel-labels.ts'
import { ChoiceFilter, useChoice } from '../../parts/choice-filter.tsx'
import { useFilter } from '../../parts/filter.ts'
import { Filters } from '../../parts/filters.tsx'
import { IntegrationFilter } from '../../parts/integration-filter.tsx'
import { optionsOf } from '../../parts/options.ts'
import { deliveryStatusLabels } from '../../parts/status-badge.tsx'
import { SubscriberFilter } from '../../parts/subscriber-filter.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { TimeFilter } from '../../parts/time-filter.tsx'
import { WorkflowFilter } from '../../parts/workflow-filter.tsx'

const statusOptions = optionsOf(deliveryStatusLabels)
/** An in-app step sends no message: it adds to the feed. */
const channelOptions = optionsOf(channelLabels).filter(({ value }) => value !== 'IN_APP')

/** Returns the text of a filter, or null if there is none. */
function useText(name: string): string | null {
  const [value] = useFilter(name)
  return value === '' ? null : value
}

/** Returns the filter that the address has. */
export const useDeliveryFilter = () => ({
  status: useChoice('status', statusOptions),
  channel: useChoice('channel', channelOptions),
  subscriberId: useText('subscriber'),
  transactionId: useText('transaction'),
  workflow: useText('workflow'),
  integrationIdentifier: useText('integration'),
  createdAfter: useText('from'),
  createdBefore: useText('to'),
})

export const DeliveryFilters = () => (
  <Filters>
    <ChoiceFilter label="Status" name="status" options={statusOptions} />
    <ChoiceFilter label="Channel" name="channel" options={channelOptions} />
    <SubscriberFilter />
    <TextFilter label="Transaction id" name="transaction" />
    <WorkflowFilter />
    <IntegrationFilter />
    <TimeFilter label="From" name="from" />
    <TimeFilter label="Until" name="to" />
  </Filters>
)
