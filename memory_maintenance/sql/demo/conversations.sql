-- Conversations for the demo: each agent on three channels, with one message each.
--
-- Purpose: what facts name as their source. The sessions and their transcripts are made by one
--          statement; the foreign key is checked at its end.
-- Params:  as_of, timestamptz: the demo's present.
-- Locks:   ROW EXCLUSIVE on channel_sessions and channel_transcripts.

WITH talk AS (
    INSERT INTO public.channel_sessions (channel, agent, started_at, ended_at)
    SELECT
        c.channel,
        e.name,
        %(as_of)s::timestamptz - interval '12 days' * row_number() OVER (ORDER BY e.id, c.channel),
        %(as_of)s::timestamptz
        - interval '12 days' * row_number() OVER (ORDER BY e.id, c.channel)
        + interval '25 min'
    FROM public.entities AS e
    CROSS JOIN (VALUES ('signal'), ('slack'), ('voice')) AS c (channel)
    WHERE e.type = 'ai'
    ORDER BY e.id, c.channel
    RETURNING id, agent, started_at
)
INSERT INTO public.channel_transcripts (channel_session_id, sender_entity_id, content, sent_at)
SELECT t.id, e.id, 'Good to hear from you. What shall I remember?', t.started_at
FROM talk AS t
JOIN public.entities AS e ON e.name = t.agent AND e.type = 'ai'
ORDER BY t.id
