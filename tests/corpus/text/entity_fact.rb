class EntityFact < ApplicationRecord
  self.table_name = "entity_facts"

  scope :durable, -> { where(data_type: "permanent") }
  scope :stale, -> { where("data_type = ? AND updated_at < ?", "temporary", 7.days.ago) }

  def promote!
    update!(data_type: "permanent")
  end
end
