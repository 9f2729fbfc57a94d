"""What a pass owes and who lags, judged from numbers; what the server says is tested on servers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory_maintenance.engine.throttle import Budget, Lateness, Receiver

MB = 1024 * 1024
ANSWER = datetime(2026, 6, 1, tzinfo=UTC)


def receiver(
    lag_s: float | None = None, *, behind: bool = True, answered_s: float = 0, pid: int = 7
) -> Receiver:
    answered_at = ANSWER + timedelta(seconds=answered_s)
    return Receiver(pid, "standby1", True, behind, lag_s, answered_at)


def test_what_is_written_beyond_the_rate_is_waited_for() -> None:
    budget = Budget(MB, now_s=100.0)
    assert budget.spend(3 * MB, now_s=101.0) == 2.0
    assert budget.spend(3 * MB, now_s=104.0) == 2.0, "what was waited is paid"


def test_what_was_not_waited_for_stays_due() -> None:
    budget = Budget(MB, now_s=0.0)
    assert budget.spend(3 * MB, now_s=1.0) == 2.0
    assert budget.spend(0, now_s=2.0) == 1.0
    assert budget.spend(0, now_s=3.0) == 0.0


def test_a_slow_batch_within_the_rate_is_not_held_back() -> None:
    budget = Budget(MB, now_s=0.0)
    assert budget.spend(60 * MB, now_s=60.0) == 0.0


def test_the_average_over_many_batches_is_the_rate() -> None:
    budget, now_s, written = Budget(20 * MB, now_s=0.0), 0.0, 0
    for _ in range(100):
        now_s += 0.125
        written += 5 * MB
        now_s += budget.spend(5 * MB, now_s)
    assert written / now_s == pytest.approx(20 * MB)


def test_a_quiet_hour_allows_one_second_of_credit_and_no_flood() -> None:
    budget = Budget(MB, now_s=0.0)
    assert budget.spend(0, now_s=3600.0) == 0.0
    assert budget.spend(5 * MB, now_s=3600.0) == 4.0


@pytest.mark.parametrize(
    ("lag_s", "late"), [(None, []), (0.0, []), (30.0, []), (42.4, ["standby1 lags 42 s"])]
)
def test_who_lags_more_than_the_limit_is_named(lag_s: float | None, late: list[str]) -> None:
    assert Lateness(timedelta(seconds=30)).late([receiver(lag_s)], now_s=0.0) == late


def test_a_receiver_that_is_behind_and_silent_lags_whatever_its_last_lag() -> None:
    lateness = Lateness(timedelta(seconds=10))
    assert lateness.late([receiver(0.1)], now_s=0.0) == []
    assert lateness.late([receiver(0.1)], now_s=29.0) == []
    (said,) = lateness.late([receiver(0.1)], now_s=31.0)
    assert said == "standby1 is behind and hasn't answered for 31 s"
    assert lateness.late([receiver(0.1, answered_s=20)], now_s=32.0) == [], "it answered"


def test_the_limit_holds_for_silence_where_it_is_longer() -> None:
    lateness = Lateness(timedelta(minutes=5))
    lateness.late([receiver()], now_s=0.0)
    assert lateness.late([receiver()], now_s=299.0) == []
    assert lateness.late([receiver()], now_s=301.0) != []


def test_who_has_all_wal_may_be_silent() -> None:
    lateness = Lateness(timedelta(seconds=10))
    for now_s in (0.0, 3600.0):
        assert lateness.late([receiver(0.0, behind=False)], now_s) == []


def test_a_receiver_that_went_and_came_back_is_not_held_to_its_old_silence() -> None:
    lateness = Lateness(timedelta(seconds=10))
    lateness.late([receiver()], now_s=0.0)
    lateness.late([], now_s=60.0)
    assert lateness.late([receiver()], now_s=70.0) == []


def test_the_clock_of_a_receiver_may_be_wrong() -> None:
    lateness = Lateness(timedelta(seconds=10))
    for second in range(120):
        answered = receiver(answered_s=-86_400 + second)
        assert lateness.late([answered], now_s=float(second)) == []
