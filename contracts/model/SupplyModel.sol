// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A model of the token's balances, for a proof by solc's SMTChecker (npm run prove)
/// @notice `account` stands for the balance of any account, `others` for the sum of all other balances, which a transfer among them does not change.
/// The arithmetic is that of EMoneyToken and BlockableERC20, unchecked where theirs is. Proven for any sequence of calls with any arguments: the
/// supply is the sum of the balances, and no balance reaches the flags that stand beside it.
contract SupplyModel {
    uint256 private constant MAX_SUPPLY = 2 ** 254 - 1;

    uint256 private account;
    uint256 private others;
    uint256 private supply;

    function issueToAccount(uint256 amount) external {
        if (amount > MAX_SUPPLY - supply) revert();
        unchecked {
            account += amount;
            supply += amount;
        }
    }

    function issueToOthers(uint256 amount) external {
        if (amount > MAX_SUPPLY - supply) revert();
        unchecked {
            others += amount;
            supply += amount;
        }
    }

    function redeemFromAccount(uint256 amount) external {
        if (account < amount) return;
        unchecked {
            account -= amount;
        }
        supply -= amount;
    }

    function redeemFromOthers(uint256 amount) external {
        if (others < amount) return;
        unchecked {
            others -= amount;
        }
        supply -= amount;
    }

    function transferToOthers(uint256 amount) external {
        if (account < amount) revert();
        unchecked {
            account -= amount;
            others += amount;
        }
    }

    function transferFromOthers(uint256 amount) external {
        if (others < amount) revert();
        unchecked {
            others -= amount;
            account += amount;
        }
    }

    function transferToItself(uint256 amount) external {
        if (account < amount) revert();
        unchecked {
            account -= amount;
            account += amount;
        }
    }

    function check() external view {
        assert(supply <= MAX_SUPPLY);
        assert(account <= supply && others <= supply);
        assert(account + others == supply);
    }
}
