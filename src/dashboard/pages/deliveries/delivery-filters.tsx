// The filters of the list of messages, kept in the address.
import { channelLabels } from '../../parts/channel-labels.ts'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { ContextFilter, useContextFilter } from '../../parts/filter/context-filter.tsx'
import { useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { IntegrationFilter } from '../../parts/filter/integration-filter.tsx'
import { optionsOf } from '../../parts/options.ts'
import { deliveryStatusLabels } from '../../parts/status-badge.tsx'
import { SubscriberFilter } from '../../parts/filter/subscriber-filter.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { TimeFilter } from '../../parts/filter/time-filter.tsx'
import { WorkflowFilter } from '../../parts/filter/workflow-filter.tsx'

const statusOptions = optionsOf(deliveryStatusLabels)
/** In-app steps are left out: they add to the feed and send no message. */
const channelOptions = optionsOf(channelLabels).filter(({ value }) => value !== 'IN_APP')

/** Returns the filter in the address. */
export const useDeliveryFilter = () => ({
  contextKeys: useContextFilter()[0],
  status: useChoice('status', statusOptions),
  channel: useChoice('channel', channelOptions),
  subscriberId: useFilterValue('subscriber'),
  transactionId: useFilterValue('transaction'),
  workflowIdentifier: useFilterValue('workflow'),
  integrationIdentifier: useFilterValue('integration'),
  createdAfter: useFilterValue('from'),
  createdBefore: useFilterValue('to'),
})

export const DeliveryFilters = () => (
  <Filters>
    <ChoiceFilter label="Status" name="status" options={statusOptions} />
    <ChoiceFilter label="Channel" name="channel" options={channelOptions} />
    <SubscriberFilter />
    <TextFilter label="Transaction id" name="transaction" />
    <WorkflowFilter />
    <IntegrationFilter />
    <ContextFilter />
    <TimeFilter label="From" name="from" />
    <TimeFilter label="Until" name="to" />
  </Filters>
)
