-- Entities for the demo: a household of agents, some organizations and pets, and any number of people.
--
-- Purpose: parents for the facts. The first one is the agent whose delegation_knowledge has a view.
--          People's names are distinct: 40 first names by 50 last names, then with an initial.
-- Params:  people, integer: how many persons, 1 to 50000; as_of, timestamptz: the demo's present.
-- Locks:   ROW EXCLUSIVE on entities.

WITH zone AS (
    SELECT s.reset_val AS name FROM pg_catalog.pg_settings AS s WHERE s.name = 'TimeZone'
),
fixed (place, name, type, description) AS (
    VALUES
        (1, 'Nova', 'ai', 'Coordinates the other agents and talks to the family'),
        (2, 'Atlas', 'ai', 'Plans trips and keeps the calendar'),
        (3, 'Quill', 'ai', 'Writes letters, minutes and release notes'),
        (4, 'Ledger', 'ai', 'Watches invoices, contracts and subscriptions'),
        (5, 'Sprout', 'ai', 'Looks after the garden and the greenhouse sensors'),
        (6, 'Gauge', 'ai', 'Runs the home server, backups and alerts'),
        (7, 'Northlight Studio', 'organization', 'Design office of a friend of the family'),
        (8, 'Harbour Clinic', 'organization', 'The family doctor''s practice'),
        (9, 'Elm Street School', 'organization', 'Primary school'),
        (10, 'Tandem Cycles', 'organization', 'Bicycle workshop around the corner'),
        (11, 'Biscuit', 'pet', 'A beagle who is afraid of thunder'),
        (12, 'Mortimer', 'stuffed_animal', 'A threadbare rabbit')
),
words AS (
    SELECT
        ARRAY[
            'Ada', 'Ben', 'Chiara', 'Dmitri', 'Elif', 'Femi', 'Greta', 'Hiro', 'Ines', 'Jonas',
            'Kavita', 'Liam', 'Maren', 'Noor', 'Oskar', 'Paula', 'Quentin', 'Rosa', 'Sven', 'Tara',
            'Umar', 'Vera', 'Wanda', 'Xavier', 'Yara', 'Zoltan', 'Amara', 'Bjarne', 'Celine', 'Davit',
            'Esther', 'Farid', 'Gloria', 'Henrik', 'Imani', 'Jiri', 'Katya', 'Luis', 'Mei', 'Nils'
        ] AS first_names,
        ARRAY[
            'Abbott', 'Bergmann', 'Castillo', 'Dubois', 'Eriksen', 'Fontana', 'Grant', 'Haddad',
            'Ivanova', 'Jansen', 'Keller', 'Lindqvist', 'Marino', 'Nakamura', 'Okafor', 'Petrov',
            'Quinn', 'Rahman', 'Silva', 'Takahashi', 'Ueda', 'Varga', 'Weber', 'Ximenes', 'Yilmaz',
            'Zimmer', 'Adeyemi', 'Brandt', 'Costa', 'Dvorak', 'Ekman', 'Farrell', 'Gupta', 'Holm',
            'Iqbal', 'Jovanovic', 'Kowalski', 'Larsen', 'Moreau', 'Novak', 'Ortega', 'Park',
            'Qureshi', 'Rossi', 'Schmidt', 'Tanaka', 'Ullman', 'Vogel', 'Wallace', 'Young'
        ] AS last_names,
        ARRAY[
            'Europe/Berlin', 'Europe/Lisbon', 'America/New_York', 'Asia/Tokyo', 'Africa/Lagos'
        ] AS timezones
),
people AS (
    SELECT
        100 + g.n AS place,
        w.first_names[1 + mod(g.n, 40)]
        || CASE WHEN g.n < 2000 THEN ' ' ELSE ' ' || chr(64 + g.n / 2000) || '. ' END
        || w.last_names[1 + mod(g.n / 40 + 7 * mod(g.n, 40), 50)] AS name,
        w.timezones[1 + mod(g.n, 5)] AS timezone
    FROM generate_series(0, %(people)s::integer - 1) AS g (n)
    CROSS JOIN words AS w
),
everyone AS (
    SELECT f.place, f.name, f.type, f.description, NULL AS timezone FROM fixed AS f
    UNION ALL
    SELECT p.place, p.name, 'person', NULL, p.timezone FROM people AS p
)
INSERT INTO public.entities (name, type, description, timezone, created_at, updated_at)
SELECT
    e.name,
    e.type,
    e.description,
    e.timezone,
    (%(as_of)s::timestamptz - interval '370 days') AT TIME ZONE z.name,
    (%(as_of)s::timestamptz - interval '370 days') AT TIME ZONE z.name
FROM everyone AS e
CROSS JOIN zone AS z
ORDER BY e.place
