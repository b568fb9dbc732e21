// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SwapSettlement} from "../../src/SwapSettlement.sol";

/// @dev A token that is also the taker: when it is asked to pay, it tries the same swap again and stores the error.
contract CallingBackToken {
    SwapSettlement private immutable settlement;
    SwapSettlement.Quote private q;
    bytes private signature;
    bytes4 public answer;

    constructor(SwapSettlement settlement_) {
        settlement = settlement_;
    }

    function prepare(SwapSettlement.Quote calldata quote_, bytes calldata signature_) external {
        q = quote_;
        signature = signature_;
    }

    function transferFrom(address, address, uint256) external returns (bool) {
        try settlement.swap(
            q.taker, q.takerToken, q.makerToken, q.takerAmount, q.makerAmount, q.expiry, q.nonce, q.quoteId, signature
        ) {} catch (bytes memory reason) {
            answer = bytes4(reason);
        }
        return true;
    }
}

/// @dev Does not pay, and returns false instead of reverting.
contract FalseToken {
    function transferFrom(address, address, uint256) external pure returns (bool) {
        return false;
    }
}

/// @dev Pays, and returns nothing.
contract SilentToken {
    uint256 public moved;

    function transferFrom(address, address, uint256 amount) external {
        moved += amount;
    }
}
