// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What an operator may mint, in minor units. One storage word.
/// @param allowance Over all days; minting lowers it.
/// @param dailyLimit In a day of UTC.
/// @param usedOnDay Minted or refused on `day`.
/// @param day The last day with an issue, in days since 1970.
struct MintLimit {
    uint80 allowance;
    uint80 dailyLimit;
    uint80 usedOnDay;
    uint16 day;
}

/// @title Arithmetic of an operator's mint limits
library MintLimits {
    /// @notice What may be minted now, by both limits.
    function available(MintLimit memory limit) internal view returns (uint256) {
        uint256 used = usedToday(limit);
        if (used >= limit.dailyLimit) return 0;
        uint256 today = limit.dailyLimit - used;
        return today < limit.allowance ? today : limit.allowance;
    }

    /// @notice What was minted or refused since midnight UTC.
    function usedToday(MintLimit memory limit) internal view returns (uint256) {
        return limit.day == _today() ? limit.usedOnDay : 0;
    }

    /// @notice Counts `amount`, which is at most what is available.
    function use(MintLimit memory limit, uint256 amount) internal view {
        limit.usedOnDay = uint80(usedToday(limit) + amount);
        limit.allowance -= uint80(amount);
        limit.day = _today();
    }

    /// @dev Fits until 2149.
    function _today() private view returns (uint16) {
        return uint16(block.timestamp / 1 days);
    }
}
